import { type Fingerprint, type Id, storedFingerprint, storedId } from '#shared/base/ids.ts';
import { storedName } from '#shared/base/names.ts';
import type { PartitionKey } from '#shared/table/items.ts';
import { storedKey } from '#shared/table/keys.ts';

/** A text as an id of the kind that the test needs: most tests ask no more of an id than to be one. */
export const testId = <Kind extends Id>(text: string): Kind => storedId(text);

/** A text as a name of the kind that the test needs. */
export const testName = <Kind extends string>(text: string): Kind => storedName(text);

/** A text as a fingerprint, for tests of rules that never look at its digits. */
export const testFingerprint = (text: string): Fingerprint => storedFingerprint(text);

/** A text as a partition key, for tests that ask no more of it than to be one. */
export const testPartition = (text: string): PartitionKey => storedKey(text, '').pk;
