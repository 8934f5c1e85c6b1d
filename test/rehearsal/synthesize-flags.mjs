import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { groups } from '#functions/groups.ts';
import { OPTIONAL_SETTINGS } from '#infra/optional-settings.ts';
import { synthesizeTemplates } from '#infra/templates.ts';

// As `synthesize.ts`, in a checkout whose stages are not in a file yet: settings are flags with the name of the stage.
const [folder = ''] = process.argv.slice(2);
const { stateful, service, watch } = synthesizeTemplates(folder, groups, OPTIONAL_SETTINGS).eu;
const templates = { stateful: stateful.toJSON(), service: service.toJSON(), watch: watch.toJSON() };
writeFileSync(join(folder, 'templates.json'), JSON.stringify(templates));
