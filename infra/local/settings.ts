/**
 * The names and credentials that clients and servers of the local stack share. The credentials are no secret: they exist
 * because clients of all servers but the database sign requests as in a region. The database accepts only letters and
 * digits in the access key id.
 */
export const LOCAL = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'LOCALSTACK', secretAccessKey: 'local-stack-secret' },
  tableName: 'evidence',
  bucketName: 'evidence',
  mailSender: 'notifications@local.example',
  /** The end of the origins of logs (rules/log.md#origin). */
  logDomain: 'local.log.localhost',
} as const;

/** The `Authorization` header of calls of the local database, which checks no signature. */
export const UNSIGNED =
  `AWS4-HMAC-SHA256 Credential=${LOCAL.credentials.accessKeyId}/20260101/${LOCAL.region}/dynamodb/aws4_request, ` +
  'SignedHeaders=host, Signature=unsigned';

const FUNCTION_PREFIX = 'LOCALFN';

/** Returns the access key id of a function's process, which names the function. The secret is the same for all. */
export const functionAccessKeyId = (name: string): string =>
  `${FUNCTION_PREFIX}${name.replaceAll('-', '').toUpperCase()}`;

/** Returns whether an access key id belongs to the stack or to one of its functions. */
export const isLocalAccessKeyId = (id: string): boolean =>
  id === LOCAL.credentials.accessKeyId || id.startsWith(FUNCTION_PREFIX);

/** Returns the access key id of an `Authorization` header, or '' if the header has none. */
export const accessKeyIdOf = (authorization: string | undefined): string =>
  /Credential=([^/,\s]+)\//.exec(authorization ?? '')?.[1] ?? '';

/** Returns the settings of an AWS client for a local server. */
export const localClient = (endpoint: string) => ({
  endpoint,
  region: LOCAL.region,
  credentials: { ...LOCAL.credentials },
});
