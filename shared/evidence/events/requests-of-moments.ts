import { storedId } from '#shared/base/ids.ts';
import { hasRoomFor } from '#shared/table/item-size.ts';
import { requestOf } from '#shared/table/items.ts';
import { type Image, keyAmong, requestAmong, StreamItem } from '#shared/table/stream-item.ts';
import { type Key, keyText, type Table } from '#shared/table/table.ts';
import { artifactKey, attestationKey, readMomentPartition } from '../records/keys.ts';

/**
 * Finds the requests of moments that have no room for the id: their records have it (rules/storage.md#requests-of-effects). One call
 * for 100 of them; usually there is none.
 *
 * @param images of items of any kind
 * @returns the ids of requests, by the positions of the images that do not name them
 */
export async function findRequests(table: Table, images: readonly (Image | undefined)[]): Promise<Map<number, string>> {
  const keys = images.flatMap((image, i) => {
    const key = image && recordKey(image);
    return key ? [{ i, key }] : [];
  });
  if (keys.length === 0) return new Map();
  const found = await table.getMany(keys.map(({ key }) => key));
  return new Map(
    keys.flatMap(({ i, key }) => {
      const request = requestOf(found.get(keyText(key)) ?? {});
      return request === undefined ? [] : [[i, request]];
    }),
  );
}

/** As long as an id of the gateway. */
const ANY_REQUEST = 'x'.repeat(16);

/** The key of the record of a moment that has no room for a request; null for every other item. */
function recordKey(image: Image): Key | null {
  const key = keyAmong(image);
  const place = key && readMomentPartition(key.pk);
  const record = image['record']?.S;
  if (!place || record === undefined || requestAmong(image) !== undefined) return null;
  if (hasRoomFor(new StreamItem(image).item, ANY_REQUEST)) return null;
  const isArtifact = image['kind']?.S === 'artifact_creation_reported';
  return isArtifact ? artifactKey(place.org, storedId(record)) : attestationKey(place.org, storedId(record));
}
