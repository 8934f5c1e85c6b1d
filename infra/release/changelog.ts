const HEADING = '## Unreleased\n';

/** Returns the text below the heading «Unreleased», without spaces around it; '' without such a section. */
export function unreleasedText(changelog: string): string {
  const section = changelog.split(/^(?=## )/m).find((one) => one.startsWith(HEADING));
  return section === undefined ? '' : section.slice(HEADING.length).trim();
}

/**
 * Gives what is unreleased a version and a date, below an empty section for what comes.
 * @param date as `2026-11-24`
 */
export const cutChangelog = (changelog: string, version: string, date: string): string =>
  changelog.replace(HEADING, `${HEADING}\n## ${version} (${date})\n`);

/** Returns the replacements that the section «Unreleased» of the changelog does not name. */
export const unannounced = <R extends { id: string }>(found: readonly R[], changelog: string): R[] => {
  const unreleased = unreleasedText(changelog);
  return found.filter(({ id }) => !unreleased.includes(`\`${id}\``));
};
