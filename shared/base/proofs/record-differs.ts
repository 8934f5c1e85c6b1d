import { ServiceError } from '../errors.ts';

/**
 * A stored record is not the one that was accepted: it does not fit a commitment or the hash that the log has. Nothing may be
 * decided by it (rules/trails.md#reading-what-was-accepted). Unlike other faults of the
 * service, the caller is shown the sentence.
 */
export class RecordDiffers extends ServiceError {
  /**
   * @param record what differs, by names and ids: `moment 3 of trail run`
   * @param difference what does not fit, as the rest of a sentence
   */
  constructor(record: string, difference: string) {
    super('broken', `The stored ${record} differs from what was accepted: ${difference}`);
    this.name = 'RecordDiffers';
  }
}

/** Whether two digests are the same bytes. A missing one is the same as none. */
export const isSameDigest = (one: Uint8Array | undefined, other: Uint8Array | undefined): boolean =>
  one !== undefined && other !== undefined && Buffer.compare(one, other) === 0;
