// SPDX-License-Identifier: GPL-2.0-only
/*
 * One mistake of each kind that a debug kernel watches for, to see that it does:
 *
 *	insmod faulty.ko mistake=NAME
 *
 * It never stays loaded; once it has made the mistake, the error is ECANCELED.
 */
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#define OBJECT_SIZE	40

static char *mistake = "";
module_param(mistake, charp, 0);

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);

static void lock_in_turn(struct mutex *outer, struct mutex *inner)
{
	mutex_lock(outer);
	mutex_lock(inner);
	mutex_unlock(inner);
	mutex_unlock(outer);
}

static int locks(void)
{
	lock_in_turn(&first, &second);
	lock_in_turn(&second, &first);
	return 0;
}

static int atomic(void)
{
	preempt_disable();
	might_sleep();
	preempt_enable();
	return 0;
}

static int rcu(void)
{
	static int __rcu *pointer;

	return !!rcu_dereference(pointer);
}

static int cpu(void)
{
	return smp_processor_id() < 0;
}

static int shift(void)
{
	int by = 40;

	OPTIMIZER_HIDE_VAR(by);
	return 1 << by;
}

/* The neighbour does not point back. */
static int list(void)
{
	LIST_HEAD(head);
	LIST_HEAD(stranger);
	LIST_HEAD(entry);

	head.next = &stranger;
	list_add(&entry, &head);
	return 0;
}

static int bounds(void)
{
	size_t size = OBJECT_SIZE;
	char *object;

	OPTIMIZER_HIDE_VAR(size);
	object = kmalloc(size, GFP_KERNEL);
	if (!object)
		return -ENOMEM;
	WRITE_ONCE(object[size], 1);
	kfree(object);
	return 0;
}

/* Behind KASAN's back, which would be the first to see it */
static __no_sanitize_address void scribble(char *object)
{
	((volatile char *)object)[OBJECT_SIZE] = 1;
}

static int redzone(void)
{
	struct kmem_cache *cache;
	char *object;

	cache = kmem_cache_create("faulty", OBJECT_SIZE, 0, SLAB_RED_ZONE, NULL);
	if (!cache)
		return -ENOMEM;
	object = kmem_cache_alloc(cache, GFP_KERNEL);
	if (object) {
		scribble(object);
		kmem_cache_free(cache, object);
	}
	/* Also takes it out of KASAN's quarantine */
	kmem_cache_destroy(cache);
	return object ? 0 : -ENOMEM;
}

static int leak(void)
{
	void *volatile lost = kmalloc(OBJECT_SIZE, GFP_KERNEL);

	if (!lost)
		return -ENOMEM;
	lost = NULL;
	return 0;
}

static const struct {
	const char *name;
	int (*make)(void);
} mistakes[] = {
	{ "atomic", atomic },
	{ "bounds", bounds },
	{ "cpu", cpu },
	{ "leak", leak },
	{ "list", list },
	{ "locks", locks },
	{ "rcu", rcu },
	{ "redzone", redzone },
	{ "shift", shift },
};

static int __init faulty_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mistakes); i++)
		if (!strcmp(mistakes[i].name, mistake))
			return mistakes[i].make() < 0 ? -ENOMEM : -ECANCELED;
	return -EINVAL;
}
module_init(faulty_init);

MODULE_DESCRIPTION("Mistakes that a debug kernel should see");
MODULE_LICENSE("GPL");
