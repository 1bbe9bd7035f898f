package place

import "golang.org/x/sys/unix"

// networkMagic lists, by f_type of statfs(2), file systems whose shared memory or
// locks do not work between machines. FUSE is in the list because of sshfs.
var networkMagic = map[uint32]string{
	unix.NFS_SUPER_MAGIC:  "nfs",
	unix.SMB_SUPER_MAGIC:  "smb",
	unix.SMB2_SUPER_MAGIC: "smb2",
	unix.CIFS_SUPER_MAGIC: "cifs",
	unix.AFS_SUPER_MAGIC:  "afs",
	unix.CODA_SUPER_MAGIC: "coda",
	unix.CEPH_SUPER_MAGIC: "ceph",
	unix.V9FS_MAGIC:       "9p",
	unix.FUSE_SUPER_MAGIC: "fuse",
	0x0bd00bd0:            "lustre",
	0x47504653:            "gpfs",
	0x19830326:            "beegfs",
	0x01161970:            "gfs2",
	0x7461636f:            "ocfs2",
}

// networkFS returns the name of path's file system and true if it is a network
// file system.
func networkFS(path string) (string, bool) {
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return "", false // opening the file reports the error
	}
	name, network := networkMagic[uint32(fs.Type)]
	return name, network
}
