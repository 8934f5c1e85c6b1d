import { SQSClient } from '@aws-sdk/client-sqs';
import { CLIENT_SETTINGS } from '#shared/base/client-settings.ts';
import { Queue } from '#shared/queues/queue.ts';
import { meter } from '#shared/table/meter.ts';

/** Returns a function that gives the queue of an address. All queues share one client. */
export function deployedQueues(): (url: string) => Queue {
  const sqs = meter(new SQSClient(CLIENT_SETTINGS), 'SQS');
  return (url) => new Queue(sqs, url);
}
