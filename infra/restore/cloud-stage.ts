import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { CLIENT_SETTINGS } from '#shared/base/client-settings.ts';
import { ExportFiles } from '#shared/bodies/export-files.ts';
import { Objects } from '#shared/bodies/objects.ts';
import { messagesIn } from '#shared/queues/messages-in.ts';
import { kmsKeys } from '#shared/signing/kms-keys.ts';
import { databaseClient } from '#shared/table/database.ts';
import { Table } from '#shared/table/table.ts';
import { functionOf, settingsOf } from '../function-settings.ts';
import type { Stage } from '../stages/settings.ts';
import { stageNamed } from '../stages/stages.ts';
import { stagesOfFile } from '../stages/stages-file.ts';
import { RestoreError } from './restore-error.ts';
import type { Connection, RestoreStage, Say } from './stage.ts';
import { setRestoredTableStream } from './stages-edit.ts';

/** Functions believe for ten seconds what they read of their table, and the longest request takes 29. */
const CLOSED_MILLIS = 45_000;
/** The relay runs for a minute at most, and begins within seconds. */
const QUIET_MILLIS = 90_000;

const OperatorSettings = z.object({
  TABLE_NAME: z.string(),
  BUCKET_NAME: z.string(),
  LOG_DOMAIN: z.string(),
  LOG_KEY_ID: z.string(),
});
const RelaySettings = z.object({
  DELIVERIES_URL: z.string(),
  EXPANSIONS_URL: z.string(),
  EVALUATIONS_URL: z.string(),
  LOG_ENTRIES_URL: z.string(),
  EXPORTS_URL: z.string(),
  VISITS_URL: z.string(),
});

/** The steps of {@link RestoreStage.own} that must not be repeated once they are done. */
const OWN_STEPS = { leftOut: 'left-out', imported: 'imported' };

/**
 * Returns a stage in AWS. The restore needs the rights that a deployment needs.
 *
 * @param folder the folder of `cdk.json`
 */
export function cloudStage(folder: string, stageName: string): RestoreStage {
  const stage = stageNamed(stagesOfFile(folder), stageName);
  const of = (stack: string) => `${stageName}/${stack}`;
  const setStream = (streamArn: string | undefined, say: Say) => {
    const file = setRestoredTableStream(folder, stageName, streamArn);
    if (file === null) return;
    const what = streamArn === undefined ? 'is taken out of' : 'is written into';
    say(`  The setting 'restoredTableStream' of the stage '${stageName}' ${what} ${file}`);
  };
  const cdk = (args: readonly string[], say: Say) => runCdk(folder, args, say);
  return {
    connect: () => connect(stage),
    closedMillis: CLOSED_MILLIS,
    quietMillis: QUIET_MILLIS,
    handOver: async ({ streamArn }, say) => {
      setStream(streamArn, say);
      await cdk(['deploy', '--exclusively', of('service'), of('watch'), '--require-approval', 'never'], say);
    },
    own: async ({ name, streamArn }, say, { isNoted, note }) => {
      if (!(await isNoted(OWN_STEPS.leftOut))) {
        // Without the setting, this deployment would make a new and empty table.
        setStream(streamArn, say);
        await cdk(['deploy', '--exclusively', of('stateful'), '--require-approval', 'never'], say);
        await note(OWN_STEPS.leftOut);
      }
      setStream(undefined, say);
      if (!(await isNoted(OWN_STEPS.imported))) {
        await withMapping({ EvidenceTable: { TableName: name } }, (file) =>
          cdk(['import', of('stateful'), '--resource-mapping', file, '--force'], say),
        );
        await note(OWN_STEPS.imported);
      }
      await cdk(['deploy', of('*'), '--require-approval', 'never'], say);
    },
  };
}

async function connect(stage: Stage): Promise<Connection> {
  const { region } = stage;
  const [settings, queues] = await Promise.all([
    settingsOf(functionOf(stage, 'operator'), OperatorSettings),
    settingsOf(functionOf(stage, 'relay'), RelaySettings),
  ]);
  const { TABLE_NAME: live, BUCKET_NAME: bucket, LOG_DOMAIN: domain, LOG_KEY_ID: log } = settings;
  const client = databaseClient({ region });
  const s3 = new S3Client({ ...CLIENT_SETTINGS, region });
  const sqs = new SQSClient({ region });
  return {
    live,
    database: new DynamoDBClient({ region }),
    table: (name) => new Table(client, name),
    bucket: { s3, name: bucket },
    objects: new Objects(s3, bucket),
    files: new ExportFiles(s3, bucket),
    keys: kmsKeys(new KMSClient({ ...CLIENT_SETTINGS, region }), { log }),
    origin: (org) => `${org}.${domain}`,
    waiting: async () => {
      const counts = Object.values(queues).map(
        async (url) => [url.slice(url.lastIndexOf('/') + 1), await messagesIn(sqs, url)] as const,
      );
      return new Map(await Promise.all(counts));
    },
  };
}

/** Runs the toolkit of the CDK in the terminal of this command. @throws RestoreError if it fails */
async function runCdk(folder: string, args: readonly string[], say: Say): Promise<void> {
  const shown = `npx cdk ${args.join(' ')}`;
  say(`  ${shown}`);
  const child = spawn('npx', ['cdk', ...args], { cwd: folder, stdio: 'inherit' });
  // `exit` hands out a code, or null and the signal that ended the process.
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new RestoreError(`'${shown}' failed. Its output says why; repeat the command afterwards`);
}

async function withMapping(mapping: object, run: (file: string) => Promise<void>): Promise<void> {
  const made = mkdtempSync(join(tmpdir(), 'import-'));
  const file = join(made, 'resources.json');
  try {
    writeFileSync(file, JSON.stringify(mapping));
    await run(file);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}
