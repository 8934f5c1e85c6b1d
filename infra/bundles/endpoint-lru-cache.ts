import { LRUCache } from 'lru-cache';

/**
 * Takes the place of `mnemonist/lru-cache` in the bundles. The SDK makes one such cache for each client of the database;
 * the service's own memory uses `lru-cache`, and one library of the kind is enough in an archive.
 */
export default class EndpointLruCache extends LRUCache<string, object> {
  constructor(capacity: number) {
    super({ max: capacity });
  }
}
