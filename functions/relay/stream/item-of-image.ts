import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Item } from '#shared/table/table.ts';

type Image = Record<string, AttributeValue>;

/**
 * Returns the item of a stream record, with its bytes. The platform hands bytes to a function as base64. Records that a
 * sweep makes of items hold the bytes themselves.
 */
export const itemOfImage = (image: Image): Item => unmarshall(withBytes(image)) as Item;

const withBytes = (image: Image): Image =>
  Object.fromEntries(
    Object.entries(image).map(([name, value]): [string, AttributeValue] => {
      if (value.M) return [name, { M: withBytes(value.M) }];
      const bytes: unknown = value.B;
      return typeof bytes === 'string' ? [name, { B: Buffer.from(bytes, 'base64') }] : [name, value];
    }),
  );
