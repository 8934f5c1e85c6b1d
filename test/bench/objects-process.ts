import { startObjectsServer } from '#infra/local/storage/objects-server.ts';

/**
 * Entry of a process with the local bucket, so that the CPU time of the bucket is not counted for the functions. The
 * process ends when its parent ends.
 */
const { s3, stop } = await startObjectsServer();
process.send?.(s3);
process.once('disconnect', () => {
  void stop();
});
