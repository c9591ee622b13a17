/* Preloaded into zz-host by failing_calls.py: makes one call fail that concerns unfinished result files.
 *
 * ZZ_FAILING_CALL=open:3|write:3|close:3|rename:3 fails the third such call as a full disk does, and
 * ZZ_FAILING_CALL=malloc:3 the third allocation after the first unfinished file was opened, and
 * ZZ_FAILING_CALL=large:3 the third of those of 16 kB and more, which libraries ask for. The call that
 * failed is marked on stderr by "[failed]", and at its end the process says there how many calls it made.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void* __libc_malloc(size_t size);

static char kind[16];
static long wanted = -1;
static atomic_long calls;
static atomic_int armed;
static atomic_char ours[4096]; /* by descriptor */

__attribute__((constructor)) static void read_wish(void) {
  const char* text = getenv("ZZ_FAILING_CALL");
  if (text != NULL) sscanf(text, "%15[a-z]:%ld", kind, &wanted);
}

static void say(const char* text) { syscall(SYS_write, 2, text, strlen(text)); }

__attribute__((destructor)) static void say_count(void) {
  char text[64];
  snprintf(text, sizeof text, "[%ld calls]\n", atomic_load(&calls));
  if (wanted >= 0) say(text);
}

static int fails(const char* call) {
  if (wanted < 0 || strcmp(call, kind) != 0) return 0;
  if (atomic_fetch_add(&calls, 1) + 1 != wanted) return 0;
  say("[failed]\n");
  errno = ENOSPC;
  return 1;
}

static int is_unfinished(const char* path) { return strstr(path, ".part") != NULL; }
static int is_ours(int file) { return file >= 0 && file < 4096 && atomic_load(&ours[file]); }

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const int mode = va_arg(more, int);
  va_end(more);
  const int unfinished = is_unfinished(path) && (flags & O_CREAT) != 0;
  if (unfinished && fails("open")) return -1;
  const int file = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  if (unfinished && file >= 0 && file < 4096) {
    atomic_store(&ours[file], 1);
    atomic_store(&armed, 1);
  }
  return file;
}
int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const int mode = va_arg(more, int);
  va_end(more);
  return open(path, flags, mode);
}

ssize_t write(int file, const void* bytes, size_t size) {
  if (is_ours(file) && fails("write")) return -1;
  return syscall(SYS_write, file, bytes, size);
}

int close(int file) {
  const int failed = is_ours(file) && fails("close");
  if (file >= 0 && file < 4096) atomic_store(&ours[file], 0);
  const int done = (int)syscall(SYS_close, file);
  if (!failed) return done;
  errno = ENOSPC;
  return -1;
}

int rename(const char* from, const char* to) {
  if (is_unfinished(from) && fails("rename")) return -1;
  return (int)syscall(SYS_rename, from, to);
}

void* malloc(size_t size) {
  if (atomic_load(&armed) && (fails("malloc") || (size >= 16 * 1024 && fails("large")))) {
    errno = ENOMEM;
    return NULL;
  }
  return __libc_malloc(size);
}
