"""Who starts lb-exec, and with what rights."""
# What is loaded late must be there before the folder of Python is closed to us.
import concurrent.futures.thread  # noqa: F401
import encodings.idna  # noqa: F401
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

import engine

CONTROLLERS = ("memory", "pids", "cpu")
TOP = "/sys/fs/cgroup"


def possible():
    """The set-ups that can be had from here."""
    if os.geteuid() != 0:
        return ["user"]
    return ["root", "user", "user-cgroup"]


# ---- control groups ----------------------------------------------------

def own_groups():
    """{controller: folder of our group}; version 2 is the controller ""."""
    found = {}
    with open("/proc/self/cgroup") as f:
        for line in f:
            _, names, path = line.rstrip("\n").split(":", 2)
            for name in names.split(","):
                folder = os.path.join(TOP, name)
                inner = folder + path
                found[name] = inner if os.path.isdir(inner) else folder
    return found


def make_groups():
    """Groups that can be given away: (folders, those to be in); or None."""
    own = own_groups()
    name = "lb-escape-%d" % os.getpid()
    made = []
    try:
        if "memory" in own:
            for c in CONTROLLERS:
                made.append(os.path.join(own[c], name))
                os.mkdir(made[-1])
            return made, made
        # Version 2: a group with processes hands nothing down, so there is
        # one for us and, beside it, one for the sandboxes.
        top = os.path.join(TOP, name)
        for folder in (top, top + "/run", top + "/boxes"):
            made.append(folder)
            os.mkdir(folder)
            if not folder.endswith("/run"):
                hand_down(os.path.dirname(folder))
                hand_down(folder)
        return made, [top + "/run"]
    except (OSError, KeyError):
        remove_groups(made)
        return None


def cgroup_for(setup):
    """`box.cgroup` in that set-up, from the group that make_groups() put us
    in; None: nothing needs to be said."""
    if setup == "user-cgroup" and os.path.isdir(
            os.path.join(own_groups().get("", "/"), "..", "boxes")):
        return "../boxes"
    return None


def hand_down(folder):
    with open(folder + "/cgroup.subtree_control", "w") as f:
        f.write(" ".join("+" + c for c in CONTROLLERS))


def give_away(folders, uid):
    for folder in folders:
        os.chown(folder, uid, uid)
        for name in ("cgroup.procs", "tasks", "cgroup.subtree_control"):
            if os.path.exists(folder + "/" + name):
                os.chown(folder + "/" + name, uid, uid)


def remove_groups(folders):
    for folder in reversed(folders):
        # What was in it takes a moment to go.
        for _ in range(50):
            below = [os.path.join(folder, d) for d in
                     (os.listdir(folder) if os.path.isdir(folder) else [])]
            try:
                for d in below:
                    if os.path.isdir(d):
                        os.rmdir(d)
                os.rmdir(folder)
                break
            except FileNotFoundError:
                break
            except OSError:
                time.sleep(0.02)


# ---- becoming somebody else --------------------------------------------

def in_child(work):
    """Run work() in a process of its own; what it returns, at most 100."""
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    code = 101
    try:
        code = min(work(), 100)
    except Exception:  # pylint: disable=broad-except
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def within_reach(launcher, folder):
    """The launcher's files where everybody can read them."""
    os.chmod(folder, 0o755)
    moved = []
    for n, word in enumerate(launcher):
        if os.path.isfile(word):
            copy = os.path.join(folder, str(n) + "-" + os.path.basename(word))
            shutil.copy(word, copy)
            os.chmod(copy, 0o755)
            word = copy
        moved.append(word)
    return moved


def as_user(launcher, groups, work):
    """Run work(launcher) as a user nobody else is, in these groups."""
    uid = 61000 + os.getpid() % 4000
    folder = tempfile.mkdtemp(prefix="lb-escape-bin-")
    if groups:
        give_away(groups[0], uid)

    def become():
        for group in groups[1] if groups else ():
            with open(group + "/cgroup.procs", "w") as f:
                f.write("0")
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        os.environ["HOME"] = "/nonexistent"
        os.chdir("/")
        return work(within)
    try:
        within = within_reach(launcher, folder)
        return in_child(become)
    finally:
        shutil.rmtree(folder)


# ---- an engine -----------------------------------------------------------

ENGINE = None  # of the set-up we are in


def engine_for(setup):
    """What configures the engine of that set-up; None: it has none."""
    return ENGINE.environment() if setup in engine.ALL else None


def in_engine(name, work):
    """Run work() with an image to run it in, and see that nothing is left."""
    global ENGINE  # pylint: disable=global-statement
    ENGINE = engine.ALL[name]()
    try:
        bad = work()
        left = ENGINE.left()
        if left:
            print("# %d containers are left" % left, flush=True)
        return bad + left
    finally:
        ENGINE.close()
        ENGINE = None


# ---- what is missing ---------------------------------------------------

def missing():
    """What this machine does not let this user have; None."""
    if not shutil.which("bwrap"):
        return "bubblewrap"
    if subprocess.run(
            ["bwrap", "--unshare-user", "--unshare-net", "--unshare-pid",
             "--ro-bind", "/", "/", "true"], check=False,
            stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
        return "userns"
    return None


def is_required(what):
    required = os.environ.get("LB_REQUIRE", "").split(",")
    return what in required or \
        what == "bubblewrap" and "userns" in required


def skip_all(name, tests, number, why):
    for n, test in enumerate(tests):
        print("ok %d - %s %s # SKIP needs %s" % (number + n, name, test["id"],
                                                 why), flush=True)
    return 0


def limits_reported(launcher):
    """By a run of `true`, with nothing of ours around."""
    with tempfile.TemporaryDirectory() as state:
        got = subprocess.run(
            launcher + ["--json", "--", "true"], stdin=subprocess.DEVNULL,
            capture_output=True, check=False,
            env=dict(os.environ, LB_STATE=state)).stdout
    return "cgroup" if b'"limits_backend":"cgroup"' in got else "none"


def enter(name, launcher, work, skip):
    """Run work(set-up, launcher) in a set-up; what it returns. skip(why) when
    that cannot be here and is not required."""
    def careful(real, command):
        why = missing()
        if why and not is_required(why):
            return skip(why)
        return work(real, command)

    if os.geteuid() != 0 and name == "user":
        # A session manager may have given this person control groups.
        if limits_reported(launcher) == "cgroup":
            name = "user-cgroup"
        return careful(name, launcher)
    if os.geteuid() != 0:
        return skip("root") if not is_required("root") else 1
    if name in engine.ALL:
        if shutil.which(name):
            return in_engine(name, lambda: work(name, launcher))
        return skip(name) if not is_required(name) else 1
    groups = make_groups()
    try:
        if name == "root":
            real = name if groups else "root-without-cgroup"
            return in_child(lambda: careful(real, launcher))
        if name == "user":
            return as_user(launcher, None,
                           lambda command: careful(name, command))
        if not groups:
            return skip("control groups")
        return as_user(launcher, groups,
                       lambda command: careful(name, command))
    finally:
        if groups:
            remove_groups(groups[0])
