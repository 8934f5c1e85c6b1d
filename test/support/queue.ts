import type { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import type * as z from 'zod';
import { ExpansionMessage } from '#shared/environments/expand-message.ts';
import { EvaluationMessage } from '#shared/evaluations/evaluation-message.ts';
import { ExportMessage } from '#shared/exports/export-message.ts';
import { LogMessage } from '#shared/log/log-message.ts';
import { DeliveryMessage } from '#shared/notifications/rules/records.ts';
import { Queue } from '#shared/queues/queue.ts';
import { VisitMessage } from '#shared/sweeps/visit-message.ts';

/** A message as the queue took it. */
export interface SentMessage<M = DeliveryMessage> {
  message: M;
  group: string;
  delaySeconds: number;
}

/** A queue that keeps what it is sent: for what is sent where; stories have the real one. */
export interface RecordingQueue<M> {
  queue: Queue;
  sent: SentMessage<M>[];
  /** What was sent since it was asked last. */
  take(): SentMessage<M>[];
}

/** A queue of deliveries. */
export const recordingQueue = (): RecordingQueue<DeliveryMessage> => recording(DeliveryMessage);

/** A queue of evaluations. */
export const recordingEvaluations = (): RecordingQueue<z.output<typeof EvaluationMessage>> =>
  recording(EvaluationMessage);

/** A queue of expansions. */
export const recordingExpansions = (): RecordingQueue<ExpansionMessage> => recording(ExpansionMessage);

/** A queue of entries for logs. */
export const recordingLogEntries = (): RecordingQueue<LogMessage> => recording(LogMessage);

/** A queue of exports. */
export const recordingExports = (): RecordingQueue<z.output<typeof ExportMessage>> => recording(ExportMessage);

/** A queue of visits. */
export const recordingVisits = (): RecordingQueue<VisitMessage> => recording(VisitMessage);

/** All queues that the relay sends to. A test that reads the messages of one puts its own in the place of that one. */
export const recordingQueues = () => ({
  deliveries: recordingQueue().queue,
  expansions: recordingExpansions().queue,
  evaluations: recordingEvaluations().queue,
  logEntries: recordingLogEntries().queue,
  exports: recordingExports().queue,
  visits: recordingVisits().queue,
});

function recording<M>(schema: z.ZodType<M>): RecordingQueue<M> {
  const sent: SentMessage<M>[] = [];
  const send = async ({ input }: SendMessageBatchCommand) => {
    for (const { MessageBody = '', MessageGroupId = '', DelaySeconds = 0 } of input.Entries ?? []) {
      sent.push({
        message: schema.parse(JSON.parse(MessageBody)),
        group: MessageGroupId,
        delaySeconds: DelaySeconds,
      });
    }
    return { Failed: [] };
  };
  return { queue: new Queue({ send } as never, 'http://127.0.0.1/queue'), sent, take: () => sent.splice(0) };
}

let received = 0;

/** Messages as a function on the queue gets them. @param receipts how often each was received, this time included */
export const queueEvent = (bodies: readonly unknown[], receipts = 1): SQSEvent => ({
  Records: bodies.map((body) => {
    received += 1;
    return {
      messageId: `message-${received}`,
      receiptHandle: `receipt-${received}`,
      body: typeof body === 'string' ? body : JSON.stringify(body),
      attributes: {
        ApproximateReceiveCount: String(receipts),
        SentTimestamp: '0',
        SenderId: 'test',
        ApproximateFirstReceiveTimestamp: '0',
      },
      messageAttributes: {},
      md5OfBody: '',
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:eu-central-1:000000000000:deliveries',
      awsRegion: 'eu-central-1',
    };
  }),
});
