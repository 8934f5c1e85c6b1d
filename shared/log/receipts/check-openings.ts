import { commitment } from '#shared/base/digests.ts';
import { textDiffers, textMissing } from '../rules/sentences.ts';
import type { Opening } from './openings.ts';

/**
 * Requires that texts are those under the commitments of an entry (rules/log.md#openings).
 *
 * @param commitments of the header, in hex, by name
 * @param index of the entry in the log
 * @throws ServiceError `broken` if a commitment has another text or salt, or none although no erasure removed it
 */
export function requireOpenings(
  commitments: Readonly<Record<string, string>>,
  openings: readonly Opening[],
  index: number,
): void {
  const opened = new Map(openings.map((opening) => [opening.name, opening]));
  for (const [name, pledge] of Object.entries(commitments)) {
    const { salt = null, text = null, erased } = opened.get(name) ?? {};
    if (salt === null || text === null) {
      if (!erased) throw textMissing({ name, index });
    } else if (commitment(salt, text).toString('hex') !== pledge) {
      throw textDiffers({ name, index });
    }
  }
}
