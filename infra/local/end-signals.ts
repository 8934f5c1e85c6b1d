/** How often the process looks whether npm still runs, in milliseconds. */
const PARENT_MILLIS = 500;

/**
 * Waits for the end of the stack: a signal, or the end of npm. Ctrl-C sends two signals, directly and through
 * npm; the end of a terminal sends SIGHUP to all of its processes. npm itself passes on SIGTERM but not SIGHUP, and cannot
 * pass on SIGKILL. The script `start` has the shell replaced by this process, so npm is its parent.
 *
 * @param environment variables of this process
 */
export const untilEndIsAsked = (environment: Record<string, string | undefined>): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
    // The terminal may be gone, too. A write to it must not end the process before it has stopped everything.
    for (const stream of [process.stdout, process.stderr]) {
      stream.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EIO' && error.code !== 'EPIPE') throw error;
      });
    }
    if (environment['npm_lifecycle_event'] !== 'start') return;
    const { ppid } = process;
    const watch = setInterval(() => {
      if (process.ppid === ppid) return;
      clearInterval(watch);
      resolve();
    }, PARENT_MILLIS);
    watch.unref();
  });
