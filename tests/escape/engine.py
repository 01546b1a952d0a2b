"""An engine of containers to run the tests in, with an image of our own."""
import os
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
IMAGE = "localhost/lb-escape"
SILENT = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL,
          "stderr": subprocess.DEVNULL}


def runtime():
    """One that goes with the control groups of this machine: crun has none
    where both versions are mounted."""
    return shutil.which("runc") or shutil.which("crun") or ""


class Engine:
    """One with the image; what it has for us is gone after close()."""

    name = None

    def __init__(self):
        # Everybody may pass: a container's first process is not root.
        self.dir = tempfile.mkdtemp(prefix="lb-escape-engine-")
        os.chmod(self.dir, 0o755)
        self.command = self.make_command()
        root = self.dir + "/image"
        os.mkdir(root)
        subprocess.run(["sh", HERE + "/../image.sh", root], check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        with subprocess.Popen(["tar", "-C", root, "-cf", "-", "."],
                              stdout=subprocess.PIPE) as tar:
            subprocess.run(self.command + ["import", "-", IMAGE], check=True,
                           stdin=tar.stdout, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
        shutil.rmtree(root)

    def make_command(self):
        raise NotImplementedError

    def environment(self):
        section = "LB__BOX__" + self.name.upper() + "__"
        return {"LB__BOX__BACKEND": self.name,
                "LB__BOX__LOCAL__IMAGE": IMAGE,
                section + "COMMAND": ",".join(self.command)}

    def left(self):
        """How many containers of ours there are."""
        return len(subprocess.run(
            self.command + ["ps", "-aq", "--filter", "label=lb.box"],
            check=True, text=True, stdin=subprocess.DEVNULL,
            capture_output=True).stdout.split())

    def close(self):
        subprocess.run(["rm", "-rf", self.dir], check=False)


class Podman(Engine):
    """Its storage is below one folder."""

    name = "podman"

    def make_command(self):
        return ["podman", "--root", self.dir + "/storage",
                "--runroot", self.dir + "/run"]

    def environment(self):
        return dict(super().environment(),
                    LB__BOX__PODMAN__RUNTIME=runtime())

    def close(self):
        subprocess.run(self.command + ["rm", "-fa", "-t", "0"], check=False,
                       **SILENT)
        for point in ("/storage/overlay", "/storage"):
            subprocess.run(["umount", "-l", self.dir + point], check=False,
                           **SILENT)
        super().close()


class Docker(Engine):
    """The daemon that DOCKER_HOST names, or the usual one."""

    name = "docker"

    def make_command(self):
        return [shutil.which("docker")]

    def close(self):
        subprocess.run(self.command + ["rmi", IMAGE], check=False, **SILENT)
        super().close()


ALL = {c.name: c for c in (Podman, Docker)}
