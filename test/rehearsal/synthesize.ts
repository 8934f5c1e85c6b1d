import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { groups } from '#functions/groups.ts';
import { OPTIONAL_SETTINGS } from '#infra/optional-settings.ts';
import { stageTemplates, synthesizeTemplates } from '#infra/templates.ts';

/**
 * `node test/rehearsal/synthesize.ts FOLDER SETTINGS` writes the templates of the stage `eu` to `FOLDER/templates.json`, with all
 * optional settings and those that the second argument has as JSON. It is a program of its own, because the rehearsal runs it
 * in the checkout of a release as well.
 */
const [folder = '', settings = '{}'] = process.argv.slice(2);
const eu = { ...OPTIONAL_SETTINGS.eu, ...JSON.parse(settings) };
const { stateful, service, watch } = stageTemplates(
  synthesizeTemplates(folder, groups, { ...OPTIONAL_SETTINGS, eu }),
  'eu',
);
const templates = { stateful: stateful.toJSON(), service: service.toJSON(), watch: watch.toJSON() };
writeFileSync(join(folder, 'templates.json'), JSON.stringify(templates));
