// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may learn where the kernel is. The offset is worth as much as every kernel address, so the
 * rules are those of /proc/kallsyms at its strictest, judged by the credentials of whoever
 * opened the file, not of whoever reads it:
 *
 * - under lockdown=confidentiality, nobody;
 * - under kptr_restrict=2, nobody, unless the module was loaded with ignore_kptr_restrict=1;
 * - else CAP_SYSLOG in the initial user namespace, or membership of the group gid=.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/security.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include <linux/workqueue.h>

#include "kreloc.h"

static unsigned int gid = -1;
module_param(gid, uint, 0444);
MODULE_PARM_DESC(gid, "group that may read the offset without CAP_SYSLOG (default: none)");

static bool ignore_kptr_restrict;
module_param(ignore_kptr_restrict, bool, 0444);
MODULE_PARM_DESC(ignore_kptr_restrict, "answer although kernel.kptr_restrict is 2 (default: 0)");

/**
 * kreloc_gid - the group of parameter gid=
 *
 * Context: any.
 * Return: the group, invalid where none was given.
 */
kgid_t kreloc_gid(void)
{
	return make_kgid(&init_user_ns, gid);
}

/**
 * kreloc_has_gid - was a group given?
 *
 * Context: any.
 * Return: true if kreloc_gid() is a group.
 */
bool kreloc_has_gid(void)
{
	return gid_valid(kreloc_gid());
}

static bool in_our_group(const struct cred *cred)
{
	const struct group_info *groups = cred->group_info;
	kgid_t ours = kreloc_gid();
	int i;

	if (!gid_valid(ours))
		return false;
	if (gid_eq(cred->fsgid, ours))
		return true;
	for (i = 0; i < groups->ngroups; i++)
		if (gid_eq(groups->gid[i], ours))
			return true;
	return false;
}

/*
 * kptr_restrict is not exported, but what it does to %pK can be seen: zeros at 2 for everybody,
 * at 1 for those without CAP_SYSLOG, a hash at 0. The pointer printed never leaves the buffer.
 */
static bool prints_zeros(void)
{
	char buf[2 * sizeof(void *) + 8];
	struct kreloc_text text = { .buf = buf, .size = sizeof(buf) };

	kreloc_print(&text, "%pK", &init_user_ns);
	return !buf[strspn(buf, "0")];
}

struct kptr_question {
	struct work_struct work;
	bool zeros;
};

static void ask_kptr(struct work_struct *work)
{
	container_of(work, struct kptr_question, work)->zeros = prints_zeros();
}

/*
 * %pK judges the task that prints. A kernel worker has every capability, so zeros there mean 2;
 * it needs asking only where the reader's own zeros could mean 1 as well.
 */
static bool kptr_restrict_is_2(void)
{
	struct kptr_question question;

	if (!prints_zeros())
		return false;
	INIT_WORK_ONSTACK(&question.work, ask_kptr);
	schedule_work(&question.work);
	flush_work(&question.work);
	destroy_work_on_stack(&question.work);
	return question.zeros;
}

/**
 * kreloc_access - may the opener of this file know where the kernel is?
 * @file:	an open file of ours
 *
 * Lockdown has no reason for kernel addresses; LOCKDOWN_KCORE guards the same value in
 * /proc/kcore and belongs to the confidentiality level.
 *
 * Context: process context, may sleep.
 * Return: 0 or -EPERM.
 */
int kreloc_access(const struct file *file)
{
	if (security_locked_down(LOCKDOWN_KCORE))
		return -EPERM;
	if (!in_our_group(file->f_cred) &&
	    !file_ns_capable(file, &init_user_ns, CAP_SYSLOG))
		return -EPERM;
	if (!ignore_kptr_restrict && kptr_restrict_is_2())
		return -EPERM;
	return 0;
}
