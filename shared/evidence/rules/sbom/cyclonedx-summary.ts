import { isDictionary } from '#shared/base/validation.ts';
import type { CycloneDxDocument } from './cyclonedx.ts';
import { type SbomSubject, type SbomSummary, shownSha256, shownText } from './summary.ts';

/** Summarizes a CycloneDX document. */
export const cycloneDxSummary = (document: CycloneDxDocument): SbomSummary => ({
  format: `cyclonedx-${document.version}`,
  subject: subjectOf(document),
  package_count: countPackages(document),
});

/** Counts components at every level, except for files: a file is a part of a package. */
function countPackages({ bom, spelling }: CycloneDxDocument): number {
  let count = 0;
  const holders = [bom];
  for (let holder = holders.pop(); holder; holder = holders.pop()) {
    for (const component of spelling.components(holder) ?? []) {
      if (!isDictionary(component)) {
        // An element without attributes and children is parsed as a text.
        count += 1;
        continue;
      }
      if (spelling.type(component) !== 'file') count += 1;
      holders.push(component);
    }
  }
  return count;
}

function subjectOf({ subject, spelling }: CycloneDxDocument): SbomSubject | null {
  if (!isDictionary(subject)) return null;
  const name = shownText(spelling.text(subject, 'name'));
  if (name === null) return null;
  return {
    name,
    version: shownText(spelling.text(subject, 'version')),
    purl: shownText(spelling.text(subject, 'purl')),
    sha256: shownSha256(spelling.hashes(subject).find(([algorithm]) => algorithm === 'SHA-256')?.[1]),
  };
}
