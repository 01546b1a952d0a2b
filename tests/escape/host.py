"""The host of the tests: what a sandbox must not reach, see or change."""
import os
import random
import shutil
import socket
import subprocess
import tempfile
import threading


def own_address():
    """An address of this machine that is not loopback, if it has one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            s.connect(("192.0.2.1", 9))  # no packet is sent
            return s.getsockname()[0]
        except OSError:
            return "127.0.0.2"


def greet(listener):
    """Say hello to whoever connects, until the listener is closed."""
    while True:
        try:
            peer, _ = listener.accept()
        except OSError:
            return
        with peer:
            try:
                peer.sendall(b"hello from the host\n")
            except OSError:
                pass


def unmount_below(folder):
    """What was mounted there: workspaces of a fixed size."""
    with open("/proc/self/mounts") as f:
        points = [line.split()[1] for line in f]
    for point in points:
        if point.startswith(folder + "/"):
            subprocess.run(["umount", point], check=True)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Host:
    """Made by the user the set-up is for, below one folder (and one more that
    is not below /tmp), and gone after close()."""

    def __init__(self, cgroup=None, more=None):
        self.dir = tempfile.mkdtemp(prefix="lb-escape-")
        os.chmod(self.dir, 0o755)
        self.pwn2 = tempfile.mkdtemp(prefix="lb-escape-", dir="/var/tmp")
        self.pwn = self.path("pwn")
        # Nobody else gets in here, not even the user that root runs things as.
        self.home = self.path("home")
        os.mkdir(self.home, 0o700)
        self.state = self.path("home/.local/state/lb")
        self.skills = self.path("home/skills")
        self.listeners = []
        self.abstract = "lb-escape-%d" % os.getpid()
        self.address = own_address()
        os.mkdir(self.pwn)
        os.chmod(self.pwn2, 0o755)
        self.write("secret/host-secret.txt", "HOSTSECRET\n")
        self.write("home/skills/demo/SKILL.md", "demo skill\n")
        self.cgroup = cgroup
        self.more = more or {}
        # How much longer than bubblewrap an engine may take, in seconds.
        self.start = 5 if more else 0
        # A descriptor somebody forgot to close.
        fd = os.open(self.path("secret/host-secret.txt"), os.O_RDONLY)
        os.dup2(fd, 9, inheritable=True)
        os.close(fd)
        self.listen()
        self.sleeper = subprocess.Popen(
            ["HOSTSLEEPER", "100000"],
            executable=shutil.which("sleep", path="/usr/bin:/bin"))

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as f:
            f.write(text)

    def listen(self):
        first = socket.create_server(("127.0.0.1", 0))
        self.port = first.getsockname()[1]
        self.listeners = [first]
        try:
            self.listeners.append(
                socket.create_server((self.address, self.port)))
        except OSError:
            self.address = "127.0.0.1"
        for name in ("\0" + self.abstract, self.path("host.sock")):
            s = socket.socket(socket.AF_UNIX)
            s.bind(name)
            s.listen()
            self.listeners.append(s)
        os.chmod(self.path("host.sock"), 0o777)
        for s in self.listeners:
            threading.Thread(target=greet, args=(s,), daemon=True).start()

    def environment(self):
        """The launcher's: with what must not get in. Nothing is configured
        but how many sessions there may be, and control groups that are not
        where they are looked for."""
        env = {k: v for k, v in os.environ.items()
               if k[:3] not in ("LB_", "XDG") and "proxy" not in k.lower()}
        env.update(LB_API_KEY="LBSECRET-lb", OPENAI_API_KEY="LBSECRET-openai",
                   LB__BOX__LIMITS__MAX_SESSIONS="1000",
                   HOME=self.home, LC_ALL="C", TZ="UTC",
                   PATH="/usr/bin:/bin:/usr/sbin:/sbin")
        if self.cgroup:
            env["LB__BOX__CGROUP"] = self.cgroup
        env.update(self.more)
        return env

    def variables(self, test):
        """New for each test, where one must not meet another's."""
        pwn = [os.path.join(top, test) for top in (self.pwn, self.pwn2)]
        for open_to_all in pwn:
            os.mkdir(open_to_all)
            os.chmod(open_to_all, 0o777)
        mark = str(random.randrange(10**8, 10**9))
        return {
            "X200K": "x" * 200000,
            "HOST_SECRET_PATH": self.path("secret/host-secret.txt"),
            "HOST_SECRET_DIR": self.path("secret"),
            "HOST_PID": str(self.sleeper.pid),
            "HOST_PORT": str(self.port),
            "HOST_IP": self.address,
            "HOST_SOCK": self.path("host.sock"),
            "HOST_PWN": pwn[0],
            "HOST_PWN2": pwn[1],
            "SKILLS": self.skills,
            "STATE": self.state,
            "ABSTRACT": self.abstract,
            "MARK": mark,
            "MARK_PATTERN": "[%s]%s" % (mark[0], mark[1:]),
            "FREE_PORT": str(free_port()),
            "HOST_PROCESSES": str(sum(p.isdigit()
                                      for p in os.listdir("/proc"))),
        }

    def workspace(self, session):
        """Its folder begins with its name, for names as simple as ours."""
        top = os.path.join(self.state, "box", "workspaces")
        for name in os.listdir(top) if os.path.isdir(top) else []:
            if name == session or name.split("~")[0] == session:
                return os.path.join(top, name)
        return None

    def close(self):
        self.sleeper.kill()
        self.sleeper.wait()
        for s in self.listeners:
            s.close()
        unmount_below(self.dir)
        # A path can be too long for rmtree: F24.
        subprocess.run(["rm", "-rf", self.dir, self.pwn2], check=True)
