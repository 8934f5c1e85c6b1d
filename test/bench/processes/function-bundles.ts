import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  bundleFunctions,
  ENGINE_GROUPS,
  ENGINES_FOLDER,
  POLICIES_FOLDER,
  POLICY_FUNCTIONS,
} from '#infra/bundles/bundle.ts';
import { unpack } from '#infra/bundles/unpack.ts';
import { LOCAL } from '#infra/local/settings.ts';
import type { BenchStack } from '../bench-stack.ts';

/** Unpacked bundles of functions, as they are deployed. */
export interface FunctionBundles {
  folderOf(name: string): string;
  /** Size of the function's archive in bytes, without child processes. */
  sizeOf(name: string): number;
  /** The settings of a function, for the servers of the stack. */
  environmentOf(name: string): Record<string, string>;
  /** Removes the files. */
  remove(): void;
}

export async function makeBundles(
  { endpoints }: Pick<BenchStack, 'endpoints'>,
  names: readonly string[],
): Promise<FunctionBundles> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-bundles-'));
  const folderOf = (name: string) => join(folder, 'unpacked', name);
  const bundles = await bundleFunctions(folder, names);
  // Without it, Node would take the type of modules from a folder above.
  writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}\n');
  for (const { name, zip } of bundles) unpack(zip, folderOf(name));
  return {
    folderOf,
    sizeOf: (name) => bundles.find((bundle) => bundle.name === name)?.size ?? Number.NaN,
    environmentOf: (name) => ({
      TABLE_NAME: LOCAL.tableName,
      BUCKET_NAME: LOCAL.bucketName,
      LOG_DOMAIN: LOCAL.logDomain,
      PUBLIC_URL: 'https://api.example',
      ...(ENGINE_GROUPS.has(name) && { ENGINES_PATH: join(folderOf(name), ENGINES_FOLDER) }),
      ...(POLICY_FUNCTIONS.has(name) && { POLICIES_PATH: join(folderOf(name), POLICIES_FOLDER) }),
      AWS_REGION: LOCAL.region,
      AWS_ACCESS_KEY_ID: LOCAL.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: LOCAL.credentials.secretAccessKey,
      AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
      AWS_ENDPOINT_URL_S3: endpoints.s3,
    }),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
