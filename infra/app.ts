import { groups } from '#functions/groups.ts';
import { addRegion, createApp } from './deployment.ts';
import { readStages, StageError } from './stages.ts';

const app = createApp();
try {
  for (const stage of readStages(app.node.getAllContext())) addRegion(app, stage, groups);
} catch (error) {
  if (!(error instanceof StageError)) throw error;
  // Whoever deploys needs the sentence, not where it was thrown.
  console.error(error.message);
  process.exit(1);
}
app.synth();
