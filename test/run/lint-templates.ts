import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { argv, exit } from 'node:process';
import { NOT_RUN, ROOT } from './tool.ts';

/**
 * `npm run lint:templates`: checks the synthesized templates with cfn-lint, if cfn-lint is installed. `.cfnlintrc.yaml`
 * says which warnings are accepted and why. All other findings fail the check.
 */

const [, , folder = 'cdk.out'] = argv;
const templates = globSync(join(folder, 'assembly-*', '*.template.json'));
if (templates.length === 0) throw new Error(`There are no templates below ${folder}`);
const { error, status } = spawnSync('cfn-lint', ['--', ...templates], { cwd: ROOT, stdio: 'inherit' });
if (error && (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
if (error) console.log('cfn-lint is not installed. To install it: pip install cfn-lint');
else console.log(`cfn-lint ${status === 0 ? 'accepts' : 'refuses'} ${templates.length} templates.`);
exit(error ? NOT_RUN : (status ?? 1));
