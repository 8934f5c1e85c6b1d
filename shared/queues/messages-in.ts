import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** Returns about how many messages a queue has, with those that somebody has received and not deleted yet. */
export async function messagesIn(client: Pick<SQSClient, 'send'>, QueueUrl: string): Promise<number> {
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({
      QueueUrl,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  );
  return Object.values(Attributes).reduce((sum, count) => sum + Number(count), 0);
}
