import { type Fingerprint, type Id, storedFingerprint, storedId } from '#shared/base/ids.ts';

/** A text as an id of the kind that the test needs: most tests ask no more of an id than to be one. */
export const testId = <Kind extends Id>(text: string): Kind => storedId(text);

/** A text as a fingerprint, for tests of rules that never look at its digits. */
export const testFingerprint = (text: string): Fingerprint => storedFingerprint(text);
