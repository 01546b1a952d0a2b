"""What the host does with files that a sandbox can change, and must survive:
openat2(2) with RESOLVE_BENEATH, no links, regular files with one name only.
Each probe returns None, or what went wrong."""
import ctypes
import os
import socket
import stat
import time

LIBC = ctypes.CDLL(None, use_errno=True)
SYS_OPENAT2 = 437  # the same on every machine
BENEATH, NO_SYMLINKS, NO_MAGICLINKS = 0x08, 0x04, 0x02
SECRET = b"HOSTSECRET"
ENOUGH = 1000  # good reads, else a race proves nothing


class How(ctypes.Structure):
    _fields_ = [("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64),
                ("resolve", ctypes.c_uint64)]


def open_beneath(folder, path, flags, mode=0):
    how = How(flags | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, mode,
              BENEATH | NO_SYMLINKS | NO_MAGICLINKS)
    fd = LIBC.syscall(SYS_OPENAT2, folder, path.encode(), ctypes.byref(how),
                      ctypes.c_size_t(ctypes.sizeof(how)))
    if fd < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return fd


def read_safely(folder, path):
    """The bytes of a regular file with one name, or None."""
    try:
        fd = open_beneath(folder, path, os.O_RDONLY)
    except OSError:
        return None
    try:
        st = os.fstat(fd)
        if not stat.S_ISREG(st.st_mode) or st.st_nlink != 1:
            return None
        return os.read(fd, 65536)
    finally:
        os.close(fd)


def leak(known, args, call):
    call.wait()
    folder = os.open(known["WS"], os.O_PATH | os.O_DIRECTORY)
    try:
        for path in args:
            if read_safely(folder, path) is not None:
                return "'%s' was read" % path
    finally:
        os.close(folder)
    return None


def race(known, args, call):
    folder = os.open(known["WS"], os.O_PATH | os.O_DIRECTORY)
    good = leaks = 0
    try:
        while not call.ended():
            for path in ("race/d/host-secret.txt", "race/l/host-secret.txt"):
                got = read_safely(folder, path)
                leaks += got is not None and SECRET in got
                good += got == b"safe\n"
    finally:
        os.close(folder)
    if leaks or good < ENOUGH:
        return "%d reads leaked, %d were good" % (leaks, good)
    return None


def inbox(known, args, call):
    call.wait()
    folder = os.open(known["WS"], os.O_PATH | os.O_DIRECTORY)
    try:
        os.close(open_beneath(folder, "inbox/attachment.txt",
                              os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        return "a file was made behind a link"
    except OSError:
        pass
    finally:
        os.close(folder)
    return "there is something behind the link" if os.listdir(known["HOST_PWN"]) \
        else None


def noconnect(known, args, call):
    port = int(args[0])
    while not call.ended():
        for address in ("127.0.0.1", known["HOST_IP"]):
            try:
                socket.create_connection((address, port), 1).close()
                return "connected to %s" % address
            except OSError:
                pass
        time.sleep(0.02)
    return None


ALL = {"leak": leak, "race": race, "inbox": inbox, "noconnect": noconnect}
