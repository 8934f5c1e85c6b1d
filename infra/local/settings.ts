/**
 * The names and credentials that clients and servers of the local stack share. The credentials are no secret: they exist
 * because clients sign requests as in a region. The database accepts only letters and digits in the access key id.
 */
export const LOCAL = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'LOCALSTACK', secretAccessKey: 'local-stack-secret' },
  tableName: 'evidence',
  bucketName: 'evidence',
} as const;

/** Returns the settings of an AWS client for a local server. */
export const localClient = (endpoint: string) => ({
  endpoint,
  region: LOCAL.region,
  credentials: { ...LOCAL.credentials },
});
