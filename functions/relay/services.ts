import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { deployedTable, once } from '#functions/services.ts';
import { CLIENT_SETTINGS } from '#shared/base/client-settings.ts';
import { loadRelayEnvironment } from '#shared/base/env.ts';
import { systemClock } from '#shared/base/time.ts';
import { Objects } from '#shared/bodies/objects.ts';
import type { RelayServices } from '#shared/notifications/services.ts';
import { Queue } from '#shared/queues/queue.ts';
import { meter } from '#shared/table/meter.ts';

/** The services of the deployed relay. They are created at the first call and reused. */
export const lambdaRelayServices = (): (() => RelayServices) =>
  once(() => {
    const { TABLE_NAME, BUCKET_NAME, DELIVERIES_URL, EXPANSIONS_URL, EVALUATIONS_URL } = loadRelayEnvironment();
    const sqs = meter(new SQSClient(CLIENT_SETTINGS), 'SQS');
    return {
      table: deployedTable(TABLE_NAME),
      objects: new Objects(meter(new S3Client(CLIENT_SETTINGS), 'S3'), BUCKET_NAME),
      clock: systemClock(),
      deliveries: new Queue(sqs, DELIVERIES_URL),
      expansions: new Queue(sqs, EXPANSIONS_URL),
      evaluations: new Queue(sqs, EVALUATIONS_URL),
    };
  });
