import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { goldenCheck } from '#infra/release/checks.ts';

/** A folder whose command `golden` writes its arguments into a file and ends with a code. */
function withGolden(code: number): string {
  const root = mkdtempSync(join(tmpdir(), 'golden-check-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const text = `require('fs').writeFileSync('called', process.argv.slice(2).join(' ')); console.log('what differs'); process.exitCode = ${code}`;
  writeFileSync(join(root, 'golden.cjs'), text);
  writeFileSync(join(root, 'package.json'), JSON.stringify({ scripts: { golden: 'node golden.cjs' } }));
  return root;
}

it('the step about golden tables writes the table of the new release into the folder', async () => {
  const root = withGolden(0);
  expect(await goldenCheck('1.1.0', 'folder', root).run()).toEqual([]);
  expect(readFileSync(join(root, 'called'), 'utf8')).toBe('release 1.1.0 folder');
});

it('the step about golden tables fails with what the command prints', async () => {
  const root = withGolden(1);
  expect(await goldenCheck('1.1.0', 'folder', root).run()).toEqual([
    'npm run --silent golden -- release 1.1.0 folder failed: what differs',
  ]);
});
