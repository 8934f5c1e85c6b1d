import { S3Client } from '@aws-sdk/client-s3';
import { deployedKeys } from '#functions/deployed-keys.ts';
import { deployedQueues } from '#functions/deployed-queues.ts';
import { readVerifier } from '#functions/read-verifier.ts';
import { deployedTable, once } from '#functions/services.ts';
import { CLIENT_SETTINGS } from '#shared/base/client-settings.ts';
import { loadExporterEnvironment } from '#shared/base/env.ts';
import { systemClock } from '#shared/base/time.ts';
import { ExportFiles } from '#shared/bodies/export-files.ts';
import { Objects } from '#shared/bodies/objects.ts';
import type { ExporterServices } from '#shared/exports/services.ts';
import { meter } from '#shared/table/meter.ts';

export const lambdaExporterServices = (): (() => ExporterServices) =>
  once(() => {
    const settings = loadExporterEnvironment();
    const { TABLE_NAME, BUCKET_NAME, EXPORTS_URL } = settings;
    const s3 = meter(new S3Client(CLIENT_SETTINGS), 'S3');
    return {
      table: deployedTable(TABLE_NAME),
      objects: new Objects(s3, BUCKET_NAME),
      files: new ExportFiles(s3, BUCKET_NAME),
      clock: systemClock(),
      keys: deployedKeys(settings),
      witness: { policy: settings.WITNESS_POLICY },
      exports: deployedQueues()(EXPORTS_URL),
      verifier: readVerifier,
    };
  });
