#!/bin/sh
# Boots systemd on a copy of this machine's root that is kept in memory: nothing that it writes outlasts it. To be run in
# namespaces of its own (unshare --mount --pid --cgroup --uts --ipc --net), with an empty folder, the root of the environment
# that the tests run in, that of its Python, and the checkout.
set -eu
work=$1 environment=$2 python=$3 checkout=$4

mount -t tmpfs tmpfs "$work"
mkdir "$work/upper" "$work/work" "$work/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/upper,workdir=$work/work" "$work/root"
root=$work/root

# Most of the kernel's settings are the whole machine's: nothing in here may change them.
mount -t proc proc "$root/proc"
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
mount -t tmpfs tmpfs "$root/dev/shm"
for folder in tmp var/tmp run home root; do
  mount -t tmpfs tmpfs "$root/$folder"
done
chmod 1777 "$root/tmp" "$root/var/tmp"
chmod 755 "$root/run"

# What the installation of this machine would start has no place here.
rm -rf "$root"/etc/systemd/system/*.wants "$root"/etc/systemd/system/*.requires "$root"/var/lib/systemd

# Stands for what `pip install` makes: the environment that the tests run in, by the interpreter that it was made of.
rm -rf "$root/opt/overread" "$root/opt/python" "$root/opt/source"
mkdir -p "$root/opt/overread/bin" "$root/opt/overread/lib" "$root/opt/python" "$root/opt/source"
mount --bind "$environment/lib" "$root/opt/overread/lib"
mount --bind "$python" "$root/opt/python"
mount --bind "$checkout" "$root/opt/source"
for folder in overread/lib python source; do
  mount -o remount,bind,ro "$root/opt/$folder"
done
echo /opt/python/lib > "$root/etc/ld.so.conf.d/00-python.conf"
chroot "$root" ldconfig
ln -s /opt/python/bin/python3 "$root/opt/overread/bin/python"
echo "home = /opt/python/bin" > "$root/opt/overread/pyvenv.cfg"
cat > "$root/opt/overread/bin/overread" << END
#!/opt/overread/bin/python
import sys
sys.path.insert(0, "/opt/source/src")
from overread.__main__ import main
main()
END
chmod 755 "$root/opt/overread/bin/overread"

ip link set lo up
ip address add 192.0.2.1/32 dev lo
mkdir "$root/before"
cd "$root"
pivot_root . before
umount -l /before
rmdir /before
# Credentials of services are mounted by a child, which passes them on.
mount --make-rshared /
exec env -i container=tests PATH=/usr/sbin:/usr/bin:/sbin:/bin /usr/lib/systemd/systemd --unit=basic.target
