import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DATA_FORMAT } from '#shared/base/data-format.ts';
import { ROOT } from '../bundles/compiled.ts';
import { CHECKS, GOLDEN_TABLES, goldenCheck } from './checks.ts';
import { currentResources } from './current-resources.ts';
import { prepareRelease, writeRelease } from './prepare.ts';

/** `npm run release -- 1.1.0` checks whether a release may be made, and writes its files (docs/releasing.md#prepare). */
const USAGE = `npm run release -- VERSION [--upgrade "What operators do"]... [--dry-run]

Checks the version, the changelog, the working tree, pinned resources, ${[...CHECKS.map(({ name }) => name), GOLDEN_TABLES].join(', ')}.
Then writes CHANGELOG.md, package.json, package-lock.json and infra/release/VERSION. If a check fails, nothing is written.

  --upgrade   a sentence for operators who upgrade; may be repeated
  --dry-run   prints what would be written, and writes nothing
`;

/** Where the golden table of the new release lies until all checks have passed. A later run replaces it. */
const GOLDEN = join(ROOT, 'node_modules/.cache/golden-of-release');

const nextSteps = (version: string): string => `Next:
1. Review the changes: git diff
2. npm test
3. git add infra/release && git commit --all --message "Release ${version}", and git tag v${version}
`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      upgrade: { type: 'string', multiple: true, default: [] },
      'dry-run': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const [version, ...others] = positionals;
  if (values.help || version === undefined || others.length > 0) {
    process.stdout.write(USAGE);
    return values.help ? 0 : 1;
  }
  const { problems, files } = await prepareRelease({
    root: ROOT,
    version,
    date: new Date().toISOString().slice(0, 10),
    format: DATA_FORMAT,
    upgrade: values.upgrade,
    resources: currentResources,
    checks: [...CHECKS, goldenCheck(version, GOLDEN)],
  });
  if (problems.length > 0) {
    for (const problem of problems) console.error(problem);
    console.error(`Release ${version} is refused. Nothing was written.`);
    return 1;
  }
  const isDry = values['dry-run'];
  const golden = `infra/release/${version}/golden`;
  if (!isDry) {
    writeRelease(ROOT, files);
    cpSync(GOLDEN, join(ROOT, golden), { recursive: true });
  }
  for (const path of [...files.map(([path]) => path), golden]) {
    console.log(`${isDry ? 'Would write' : 'Wrote'} ${path}`);
  }
  process.stdout.write(isDry ? 'Nothing was written.\n' : nextSteps(version));
  return 0;
}

process.exitCode = await main();
