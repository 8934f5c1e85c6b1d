/**
 * What the local stack's clients and servers agree on. The credentials open nothing: they exist because requests to the
 * database, the bucket and the queues are signed as they are in a region. The database takes letters and digits only.
 */
export const LOCAL = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'LOCALSTACK', secretAccessKey: 'local-stack-secret' },
  tableName: 'evidence',
  bucketName: 'evidence',
} as const;

/** Settings of any AWS client that talks to a local server. */
export const localClient = (endpoint: string) => ({
  endpoint,
  region: LOCAL.region,
  credentials: { ...LOCAL.credentials },
});
