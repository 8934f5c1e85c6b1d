import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cwd } from 'node:process';
import { groups } from '#functions/groups.ts';
import { bundleService, zipOf } from './bundles/bundle.ts';
import { createApp, Region } from './deployment.ts';
import { checkPolicies } from './policy-checks.ts';
import { StageError } from './stages/stage-error.ts';
import { deployedStages } from './stages/stages-file.ts';

const app = createApp();
try {
  const stages = deployedStages(cwd(), app.node.getAllContext());
  const folder = join(app.outdir, 'functions');
  mkdirSync(folder, { recursive: true });
  await bundleService(folder);
  for (const stage of stages) new Region(app, { stage, groups, zipOf: (name) => zipOf(folder, name) });
} catch (error) {
  if (!(error instanceof StageError)) throw error;
  // A wrong setting: the sentence says what to change, a stack trace would hide it.
  console.error(error.message);
  process.exit(1);
}
checkPolicies(app);
app.synth();
