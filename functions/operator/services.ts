import { S3Client } from '@aws-sdk/client-s3';
import { deployedKeys } from '#functions/deployed-keys.ts';
import { lambdaServices, once } from '#functions/services.ts';
import { CLIENT_SETTINGS } from '#shared/base/client-settings.ts';
import { loadEnvironment } from '#shared/base/env.ts';
import { ExportFiles } from '#shared/bodies/export-files.ts';
import { meter } from '#shared/table/meter.ts';
import type { OperatorServices } from './command.ts';

/** The services of the deployed operator function. They are created at the first call and reused. */
export const lambdaOperatorServices = (): (() => OperatorServices) => {
  const services = lambdaServices({ keysOf: deployedKeys });
  return once(() => ({
    ...services(),
    files: new ExportFiles(meter(new S3Client(CLIENT_SETTINGS), 'S3'), loadEnvironment().BUCKET_NAME),
  }));
};
