import * as z from 'zod';
import { ACCESS_PATTERNS } from '#infra/access-patterns.ts';
import type { Deployed } from './deployment.ts';
import type { Emulator } from './emulator.ts';

const nothing = z.unknown();

/** Every key that docs/table.md lists. A partition gets an item of its own. */
const KEYS = [
  ...new Map(
    ACCESS_PATTERNS.map(({ example }) => (typeof example === 'string' ? { pk: example, sk: 'ITEM' } : example)).map(
      (key) => [`${key.pk} ${key.sk}`, key],
    ),
  ).values(),
];

/** A message in this queue stays there: no function reads it. */
const QUEUE = 'DeadDeliveries';
const OBJECT = 'bodies/rehearsal';
const TEXT = 'evidence of the rehearsal';

/** The places of data of a stage. */
interface Places {
  table: string;
  bucket: string;
  queue: string;
}

/** Finds table, bucket and queue among the resources of a stage. */
export function placesOf(deployed: readonly Deployed[]): Places {
  const physical = (id: string): string => {
    const found = deployed.find((resource) => resource.part === 'stateful' && resource.id === id);
    if (!found) throw new Error(`The stateful stack has no ${id}`);
    return found.physical;
  };
  return { table: physical('EvidenceTable'), bucket: physical('EvidenceBucket'), queue: physical(QUEUE) };
}

/** Stores an item with every documented key, an object and a message. */
export async function storeData(emulator: Emulator, { table, bucket, queue }: Places): Promise<void> {
  for (const { pk, sk } of KEYS) {
    const Item = { pk: { S: pk }, sk: { S: sk }, text: { S: TEXT } };
    await emulator.call(nothing, 'dynamodb', 'put_item', { TableName: table, Item });
  }
  await emulator.call(nothing, 's3', 'put_object', { Bucket: bucket, Key: OBJECT, Body: TEXT });
  await emulator.call(nothing, 'sqs', 'send_message', { QueueUrl: queue, MessageBody: TEXT });
}

const Item = z.looseObject({ Item: z.looseObject({ text: z.strictObject({ S: z.string() }) }).optional() });
const StoredObject = z.looseObject({ Body: z.string() });
const Attributes = z.looseObject({ Attributes: z.looseObject({ ApproximateNumberOfMessages: z.string() }) });

/** Returns a sentence for each part of the stored data that is lost. */
export async function lostData(emulator: Emulator, { table, bucket, queue }: Places): Promise<string[]> {
  const lost: string[] = [];
  for (const { pk, sk } of KEYS) {
    const Key = { pk: { S: pk }, sk: { S: sk } };
    const found = await emulator.call(Item, 'dynamodb', 'get_item', { TableName: table, Key, ConsistentRead: true });
    if (found.Item?.text.S !== TEXT) lost.push(`the item ${pk} / ${sk} is not in ${table}`);
  }
  const { Body } = await emulator.call(StoredObject, 's3', 'get_object', { Bucket: bucket, Key: OBJECT });
  if (Body !== TEXT) lost.push(`the object ${OBJECT} of ${bucket} is '${Body}'`);
  const { Attributes: counted } = await emulator.call(Attributes, 'sqs', 'get_queue_attributes', {
    QueueUrl: queue,
    AttributeNames: ['All'],
  });
  const messages = counted.ApproximateNumberOfMessages;
  if (messages !== '1') lost.push(`${queue} has ${messages} messages instead of 1`);
  return lost;
}
