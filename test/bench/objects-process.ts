import { startObjectsServer } from '#infra/local/storage/objects-server.ts';

/** The bucket in a process of its own, so that its work is not counted as the functions': ends with its parent. */
const { s3, stop } = await startObjectsServer();
process.send?.(s3);
process.once('disconnect', () => {
  void stop();
});
