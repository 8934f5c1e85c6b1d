import { invalid } from '#shared/base/errors.ts';
import type { Fingerprint } from '#shared/base/ids.ts';
import { invalidField } from '#shared/base/validation.ts';
import { artifactNotInTrail } from '../sentences.ts';
import type { OpenedBundle } from './inspect-bundles.ts';

/** What a bundle is about in a trail (rules/verified-evidence.md#subjects-in-the-trail). */

type About = Pick<OpenedBundle, 'artifacts' | 'commits' | 'about' | 'isOfFile'>;

/** What subjects are compared with. */
interface TrailThings {
  artifacts: ReadonlySet<Fingerprint>;
  /** The commit of the trail, and those of its artifacts. */
  commits: ReadonlySet<string>;
}

/**
 * Finds what a bundle is about in a trail: its artifacts, or the trail as a whole if a subject is its commit, or if it signs a file
 * that was reported with it and is no artifact. A bundle whose subjects cannot be read is about what the report names: it is stored as
 * stated, and says why.
 *
 * @param only the one artifact that the report names
 * @returns fingerprints; null for the trail as a whole
 * @throws ServiceError `not-found` if the trail does not have the named artifact; `invalid` if the bundle is about something else
 */
export function bindBundle(
  { artifacts, commits, about, isOfFile }: About,
  trail: TrailThings,
  only: Fingerprint | null,
  place: { org: string; flow: string; trail: string },
): readonly (Fingerprint | null)[] {
  if (only !== null) {
    if (!trail.artifacts.has(only)) throw artifactNotInTrail({ ...place, fingerprint: only });
    if (about !== '' && !artifacts.includes(only)) {
      throw invalidField(
        'artifact_fingerprint',
        `Input should be the SHA-256 of a subject of the bundle. It names ${about}`,
        only,
      );
    }
    return [only];
  }
  if (about === '') return [null];
  const found = artifacts.filter((sha256) => trail.artifacts.has(sha256));
  if (found.length > 0) return found;
  if (isOfFile || commits.some((commit) => trail.commits.has(commit))) return [null];
  throw invalid({
    bundle_file: `No subject of the bundle is an artifact or a commit of the trail '${place.trail}'. It names ${about}`,
  });
}
