import { mkdirSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { BASE_OPTIONS, zipOf } from '#infra/bundles/bundle.ts';
import { writeZip } from '#infra/bundles/zip.ts';

/** Code that creates each client of the SDK and refers to the commands that the service sends. */
const CLIENTS: Record<string, { imports: string; use: string }> = {
  '@aws-sdk/client-dynamodb': { imports: 'DynamoDBClient', use: 'const database = new DynamoDBClient();' },
  '@aws-sdk/lib-dynamodb': {
    imports:
      'BatchGetCommand, BatchWriteCommand, DynamoDBDocumentClient, ExecuteStatementCommand, GetCommand, PutCommand, ' +
      'QueryCommand, TransactWriteCommand, UpdateCommand',
    use:
      'const table = DynamoDBDocumentClient.from(database); used.push(BatchGetCommand, BatchWriteCommand, ' +
      'ExecuteStatementCommand, PutCommand, QueryCommand, TransactWriteCommand, UpdateCommand);',
  },
  '@aws-sdk/client-s3': {
    imports: 'CopyObjectCommand, GetObjectCommand, HeadObjectCommand, PutObjectCommand, S3Client',
    use: 'used.push(new S3Client(), CopyObjectCommand, GetObjectCommand, HeadObjectCommand, PutObjectCommand);',
  },
  '@aws-sdk/s3-presigned-post': { imports: 'createPresignedPost', use: 'used.push(createPresignedPost);' },
  '@aws-sdk/s3-request-presigner': { imports: 'getSignedUrl', use: 'used.push(getSignedUrl);' },
  '@aws-sdk/client-sqs': {
    imports: 'SendMessageBatchCommand, SQSClient',
    use: 'used.push(new SQSClient(), SendMessageBatchCommand);',
  },
  '@aws-sdk/client-kms': {
    imports: 'GetPublicKeyCommand, KMSClient, SignCommand',
    use: 'used.push(new KMSClient(), GetPublicKeyCommand, SignCommand);',
  },
  '@aws-sdk/client-sesv2': {
    imports: 'SendEmailCommand, SESv2Client',
    use: 'used.push(new SESv2Client(), SendEmailCommand);',
  },
  '@aws-sdk/client-ssm': {
    imports: 'GetParameterCommand, SSMClient',
    use: 'used.push(new SSMClient(), GetParameterCommand);',
  },
};

/**
 * Bundles a hello-world handler with the given clients of the SDK. The handler reads one item of the table. Tests compare
 * the size and the cold start of functions with it. It has the same options as functions, without their plugins.
 *
 * @param clients names of SDK packages; both packages of the table must be among them
 * @returns the size of the archive, in bytes
 * @throws Error for a package that is not in the table above
 */
export async function bundleHello(folder: string, name: string, clients: readonly string[]): Promise<number> {
  const known = clients.map((client) => {
    const code = CLIENTS[client];
    if (!code)
      throw new Error(`There is no code for a client of ${client}: add it to CLIENTS in test/infra/bundles/hello.ts`);
    return { client, ...code };
  });
  const contents = [
    ...known.map(({ client, imports }) => `import { ${imports} } from '${client}';`),
    'export const used = [];',
    ...known.map(({ use }) => use),
    'const key = { pk: "hello", sk: "hello" };',
    'export const handler = async () => {',
    '  await table.send(new GetCommand({ TableName: process.env.TABLE_NAME, Key: key, ConsistentRead: true }));',
    '  return { statusCode: 200, headers: {}, body: "hello" };',
    '};',
  ].join('\n');
  const { outputFiles } = await build({
    ...BASE_OPTIONS,
    sourcemap: false,
    stdin: { contents, resolveDir: BASE_OPTIONS.absWorkingDir },
  });
  const [file] = outputFiles;
  if (!file) throw new Error('The bundler wrote nothing');
  const zip = writeZip([{ name: 'index.js', bytes: Buffer.from(file.contents) }]);
  mkdirSync(folder, { recursive: true });
  writeFileSync(zipOf(folder, name), zip);
  return zip.length;
}
