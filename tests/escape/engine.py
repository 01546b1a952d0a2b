"""An engine of containers to run the tests in, with an image of our own."""
import os
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
IMAGE = "localhost/lb-escape"


def runtime():
    """One that goes with the control groups of this machine: crun has none
    where both versions are mounted."""
    return shutil.which("runc") or shutil.which("crun") or ""


class Podman:
    """Its storage is below one folder, gone after close()."""

    def __init__(self):
        # Everybody may pass: a container's first process is not root.
        self.dir = tempfile.mkdtemp(prefix="lb-escape-podman-")
        os.chmod(self.dir, 0o755)
        self.command = ["podman", "--root", self.dir + "/storage",
                        "--runroot", self.dir + "/run"]
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

    def environment(self):
        return {"LB__BOX__BACKEND": "podman",
                "LB__BOX__LOCAL__IMAGE": IMAGE,
                "LB__BOX__PODMAN__COMMAND": ",".join(self.command),
                "LB__BOX__PODMAN__RUNTIME": runtime()}

    def left(self):
        """How many containers there are."""
        return len(subprocess.run(
            self.command + ["ps", "-aq"], check=True, text=True,
            stdin=subprocess.DEVNULL, capture_output=True).stdout.split())

    def close(self):
        subprocess.run(self.command + ["rm", "-fa", "-t", "0"], check=False,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        for point in ("/storage/overlay", "/storage"):
            subprocess.run(["umount", "-l", self.dir + point], check=False,
                           stdin=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
        subprocess.run(["rm", "-rf", self.dir], check=False)
