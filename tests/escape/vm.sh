#!/bin/sh
# vm.sh BUILD [ARGUMENT...] - run.py under Debian's own kernel, in an emulated
# machine, where control groups are of version 2 and lie as systemd lays them. As
# root; needs debootstrap, mkfs.ext4, qemu-system-x86_64 and a network, and takes 5 minutes.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
root=$work/root

has=bubblewrap,e2fsprogs,iproute2,libarchive13,libcurl4,libjansson4,libpcre2-8-0
has=$has,libseccomp2,libsqlite3-0,libyaml-0-2,linux-image-cloud-amd64,mount,procps
has=$has,python3,strace,uidmap
debootstrap --variant=minbase --include="$has" "${SUITE:-bookworm}" "$root" >&2
mkdir -p "$root/opt/tests" "$root/opt/build"
cp -r "$top/tests/escape" "$root/opt/tests/"
find "$build" -maxdepth 1 -type f -name 'lb-*' -exec cp {} "$root/opt/build/" \;

# What systemd would have made: a group for each login, which hands nothing down.
cat > "$root/opt/init.sh" << 'END'
#!/bin/sh
export PATH=/opt/build:/usr/sbin:/usr/bin HOME=/root LC_ALL=C LB_BUILD=/opt/build
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t tmpfs tmpfs /run
mount -t cgroup2 cgroup2 /sys/fs/cgroup
ip link set lo up
for link in fd: stdin:/0 stdout:/1 stderr:/2; do
	ln -sf "/proc/self/fd${link#*:}" "/dev/${link%%:*}"
done
modprobe loop
cd /sys/fs/cgroup || exit
mkdir -p user.slice/user-0.slice/session-1.scope
for group in . user.slice user.slice/user-0.slice; do
	echo '+cpu +memory +pids' > "$group/cgroup.subtree_control"
done
echo $$ > user.slice/user-0.slice/session-1.scope/cgroup.procs
cd /opt/tests/escape || exit
xargs python3 run.py --slower 4 < /opt/arguments > /dev/ttyS0 2>&1
echo "vm.sh: it ended $?" > /dev/ttyS0
echo o > /proc/sysrq-trigger
sleep 60
END
chmod +x "$root/opt/init.sh"
[ $# -gt 0 ] || set -- --setup root --setup user-cgroup
printf '%s\n' "$@" > "$root/opt/arguments"
truncate -s 4G "$work/disk"
mkfs.ext4 -q -F -d "$root" "$work/disk"

qemu-system-x86_64 -accel tcg,thread=multi -cpu max -machine q35 -m 4096 -smp 2 \
	-display none -monitor none -serial "file:$work/said" -no-reboot \
	-kernel "$(echo "$root"/boot/vmlinuz-*)" \
	-initrd "$(echo "$root"/boot/initrd.img-*)" \
	-append 'root=/dev/vda rw console=ttyS0 loglevel=1 panic=1 init=/opt/init.sh' \
	-drive "file=$work/disk,if=virtio,format=raw" >&2
tr -d '\r' < "$work/said" | grep -a -E '^(ok|not ok|# |1\.\.)'
grep -a -q 'vm.sh: it ended 0' "$work/said"
