#!/bin/sh
# image.sh DIR - a root file system for containers, from what this machine has: a
# shell, the usual programs, Python, and the libraries they need. No network is
# asked.
set -eu
umask 022
root=$1
PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin

for folder in bin sbin lib lib64; do
	mkdir -p "$root/usr/$folder"
	ln -s "usr/$folder" "$root/$folder"
done
for folder in dev etc proc run sys tmp var/tmp workspace; do
	mkdir -p "$root/$folder"
done
chmod 1777 "$root/tmp" "$root/var/tmp"
printf 'root:x:0:0::/:/bin/sh\nuser:x:1000:1000::/workspace:/bin/sh\n' \
	> "$root/etc/passwd"
printf 'root:x:0:\nuser:x:1000:\n' > "$root/etc/group"
# What programs may look for, and it is not there.
: > "$root/etc/resolv.conf"

# place FILE - there by its own name, and what it links to.
place() {
	mkdir -p "$root$(dirname "$1")"
	cp -a "$1" "$root$1"
}

# libraries FILE... - those they are linked with.
libraries() {
	for file; do
		ldd "$file" 2> /dev/null || :
	done | sed -n 's,^[^/]*\(/[^ ]*\) (.*,\1,p' | sort -u |
		while read -r library; do
			folder=$root$(readlink -f "$(dirname "$library")")
			mkdir -p "$folder"
			[ -e "$folder/$(basename "$library")" ] ||
				cp -L "$library" "$folder/"
		done
}

for name in sh bash ls cat id grep sed awk sleep mkdir rmdir rm cp mv ln touch \
	head tail tr dd echo true false env stat mount umount chmod chown ps kill \
	pkill sort uniq wc seq cut find xargs test printf yes timeout setsid sync \
	truncate readlink realpath dirname basename mkfifo mknod fallocate uname \
	hostname whoami tee tty stty date df du od base64 md5sum sha256sum expr \
	nproc unshare nsenter chroot pivot_root prlimit perl python3 mkfs.ext4 \
	getent script renice nice su dmesg; do
	program=$(command -v "$name") || continue
	case $program in /*) ;; *) program=/usr/bin/$name ;; esac
	[ -x "$program" ] || continue
	real=$(readlink -f "$program")
	place "$real"
	libraries "$real"
	[ -e "$root/usr/bin/$name" ] || ln -s "$real" "$root/usr/bin/$name"
done
for folder in /usr/lib/python3.[0-9]* /usr/lib/python3; do
	[ -d "$folder/lib-dynload" ] || continue
	mkdir -p "$root$folder"
	(cd "$folder" && tar -cf - --exclude=__pycache__ --exclude=test \
		--exclude=dist-packages --exclude=ensurepip --exclude=idlelib .) |
		tar -C "$root$folder" -xf -
	libraries "$folder"/lib-dynload/*.so
done
