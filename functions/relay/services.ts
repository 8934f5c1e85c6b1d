import { SQSClient } from '@aws-sdk/client-sqs';
import { deployedTable, once } from '#functions/services.ts';
import { loadRelayEnvironment } from '#shared/env.ts';
import { Queue } from '#shared/queue.ts';
import type { RelayServices } from '#shared/services.ts';
import { meter } from '#shared/store/meter.ts';
import { systemClock } from '#shared/time.ts';

/** What the deployed relay is given: made when it is first called, and kept. */
export const lambdaRelayServices = (): (() => RelayServices) =>
  once(() => {
    const { TABLE_NAME, DELIVERIES_URL } = loadRelayEnvironment();
    return {
      table: deployedTable(TABLE_NAME),
      clock: systemClock(),
      deliveries: new Queue(meter(new SQSClient(), 'SQS'), DELIVERIES_URL),
    };
  });
