import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { type Item, type Key, type PartitionKey, REQUEST, type SortKey } from './items.ts';
import { storedKey } from './keys.ts';

/** Returns the key among attributes in the form of the database; undefined if there is none. */
export const keyAmong = ({ pk, sk }: Readonly<Record<string, { S?: string | undefined }>>): Key | undefined =>
  pk?.S === undefined || sk?.S === undefined ? undefined : storedKey(pk.S, sk.S);

/** Returns the id of the request that wrote an item, among attributes in the form of the database. */
export const requestAmong = (attributes: Readonly<Record<string, { S?: string | undefined }>>): string | undefined =>
  attributes[REQUEST]?.S;

/** An item as a record of the table's stream holds it. */
export type Image = Record<string, AttributeValue>;

/**
 * An item that a record of the table's stream brought. Most items have no effects, so an item is converted only when a
 * reader asks for it, and only once.
 */
export class StreamItem implements Key {
  readonly pk: PartitionKey;
  readonly sk: SortKey;
  readonly #image: Image;
  #item: Item | undefined;

  /** @throws Error if the image has no key */
  constructor(image: Image) {
    const key = keyAmong(image);
    if (!key) throw new Error('An image of the stream has no key');
    this.pk = key.pk;
    this.sk = key.sk;
    this.#image = image;
  }

  has(name: string): boolean {
    return this.#image[name] !== undefined;
  }

  /** Returns an attribute that is a text; undefined for other attributes. */
  text(name: string): string | undefined {
    return this.#image[name]?.S;
  }

  isNull(name: string): boolean {
    return this.#image[name]?.NULL === true;
  }

  /** Id of the request that wrote the item, if it is known. */
  get request(): string | undefined {
    return requestAmong(this.#image);
  }

  /** Returns the whole item, with its bytes. */
  get item(): Item {
    // An image with a key becomes an item with a key.
    this.#item ??= unmarshall(withBytes(this.#image)) as Item;
    return this.#item;
  }
}

/** Returns the image that the stream would bring of an item. */
export const imageOf = (item: Item): Image => marshall(item, { removeUndefinedValues: true });

/**
 * The platform hands bytes to a function as base64. Images that {@link imageOf} makes hold the bytes themselves.
 */
const withBytes = (image: Image): Image =>
  Object.fromEntries(
    Object.entries(image).map(([name, value]): [string, AttributeValue] => {
      if (value.M) return [name, { M: withBytes(value.M) }];
      const bytes: unknown = value.B;
      return typeof bytes === 'string' ? [name, { B: Buffer.from(bytes, 'base64') }] : [name, value];
    }),
  );
