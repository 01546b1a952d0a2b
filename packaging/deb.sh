#!/bin/sh
# deb.sh DISTDIR - a Debian package from the unpacked sources: no network, no
# root. It is left in the current folder.
set -eu
here=$(pwd)
rm -rf build-deb
mkdir build-deb
mv "$1" build-deb/source
cd build-deb/source
version=$(sed -n "s/^PACKAGE_VERSION='\(.*\)'/\1/p" configure)
./configure -q --prefix=/usr --sysconfdir=/etc
make -s -j "$(nproc)"
make -s install-strip DESTDIR="$here/build-deb/root"
cd "$here/build-deb"

doc=root/usr/share/doc/lb-toolkit
mkdir -p "$doc" root/DEBIAN debian
cp source/README.md "$doc/"
gzip -9n < source/CHANGELOG.md > "$doc/changelog.gz"
{
	echo "lb, a chat bot of small programs."
	echo
	echo "Copyright: the authors of lb"
	echo "License: Apache-2.0"
	echo " On Debian systems the full text is in"
	echo " /usr/share/common-licenses/Apache-2.0."
} > "$doc/copyright"
find root/usr/share/man -type f -exec gzip -9n {} +

# dpkg-shlibdeps wants a source package around it.
printf 'Source: lb-toolkit\n\nPackage: lb-toolkit\nArchitecture: any\n' \
	> debian/control
depends=$(dpkg-shlibdeps -O root/usr/bin/lb-* | sed -n 's/^shlibs:Depends=//p')
# libcurl is opened, not linked: the package that holds it is one more.
soname=$(sed -n 's/^CURL_SONAME = //p' source/Makefile)
curl=$(dpkg-query -S "*/${soname:-libcurl.so.4}" | sed 's/:.*//' | head -n 1)
# So is libarchive.
soname=$(sed -n 's/^ARCHIVE_SONAME = //p' source/Makefile)
archive=$(dpkg-query -S "*/${soname:-libarchive.so.13}" | sed 's/:.*//' | head -n 1)
# Nor is what the sandbox is made of, a program.
depends="$depends, $curl, $archive, bubblewrap"
arch=$(dpkg --print-architecture)
cat > root/DEBIAN/control << END
Package: lb-toolkit
Version: $version
Architecture: $arch
Maintainer: lb <lb@localhost>
Installed-Size: $(du -sk root/usr | cut -f 1)
Depends: $depends
Recommends: man-db, e2fsprogs, mount
Suggests: jq, bash-completion
Section: net
Priority: optional
Description: chat bot made of small programs and pipes
 Programs that read and write lines of JSON and together are a chat-bot
 platform: they take messages in, decide which to answer, ask a language
 model, and send the answers back. Any step can be looked at, cut out,
 replaced or replayed.
END
(cd root && find usr -type f | LC_ALL=C sort | xargs md5sum) \
	> root/DEBIAN/md5sums
find root -type d -exec chmod 755 {} +
find root -type f -exec chmod u=rwX,go=rX {} +
dpkg-deb --root-owner-group --build root \
	"$here/lb-toolkit_${version}_$arch.deb"
