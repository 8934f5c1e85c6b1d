import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface EmulatorOptions {
  /** TCP port, or 0 for any free one. */
  port: number;
  /** Folder of the files; null keeps everything in memory. */
  dataDir: string | null;
}

interface Emulator {
  port: number;
  stop(): Promise<void>;
}

/**
 * Starts the emulator of bucket and queues on a thread of its own. It commits every write to the disk before it answers, and
 * its thread does nothing else meanwhile. So requests to the stack have another thread.
 *
 * @throws Error if the emulator does not start, for example because its port is in use
 */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  const worker = new Worker(new URL('emulator-thread.ts', import.meta.url), { workerData: options });
  const exited = once(worker, 'exit');
  // `once` rejects if the thread ends with an error. Its only message is the port.
  const [port] = (await once(worker, 'message')) as [number];
  return {
    port,
    stop: async () => {
      worker.postMessage('stop');
      await exited;
    },
  };
}
