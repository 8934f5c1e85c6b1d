import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { groups } from '#functions/groups.ts';
import type { TemplateJson } from '../../role-statements.ts';
import { functionAccessKeyId, LOCAL } from '../settings.ts';
import { roleArn, tableArn } from './arns.ts';
import { UnknownCall } from './calls.ts';
import { type Access, evaluate, type Statement, UnknownCondition } from './evaluate.ts';
import { functionStatements, resourceStatements, type Templates } from './template-statements.ts';

/** Why a call is refused, in the words of AWS. */
interface Refusal {
  message: string;
}

/** The rights of all functions, by the access key ids of their processes. */
export class FunctionRights {
  readonly #byKeyId: ReadonlyMap<string, { name: string; statements: readonly Statement[] }>;

  constructor(templates: Templates) {
    const forEverybody = resourceStatements(templates);
    this.#byKeyId = new Map(
      [...functionStatements(templates)].map(([name, own]) => [
        functionAccessKeyId(name),
        { name, statements: [...own, ...forEverybody] },
      ]),
    );
  }

  /** Whether an access key id belongs to a function. */
  has(accessKeyId: string): boolean {
    return this.#byKeyId.has(accessKeyId);
  }

  /**
   * Checks a call of a function and logs a refusal. The first missing right decides on the message.
   *
   * @param accesses returns the rights that the call needs; UnknownCall refuses the call
   */
  refusalOf(accessKeyId: string, accesses: () => readonly Access[]): Refusal | undefined {
    const { name = accessKeyId, statements = [] } = this.#byKeyId.get(accessKeyId) ?? {};
    try {
      for (const access of accesses()) {
        const verdict = evaluate(statements, access);
        if (verdict === 'allowed') continue;
        const { action, resource, context } = access;
        const because =
          verdict === 'explicitly denied'
            ? 'with an explicit deny in a resource-based policy'
            : `because no identity-based policy allows the ${action} action`;
        const message = `User: ${roleArn(name)} is not authorized to perform: ${action} on resource: ${resource} ${because}`;
        const keys = context['dynamodb:LeadingKeys']?.() ?? [];
        console.error(`${message}${keys.length > 0 ? ` (partition keys: ${keys.join(', ')})` : ''}`);
        return { message };
      }
      return undefined;
    } catch (error) {
      if (!(error instanceof UnknownCall || error instanceof UnknownCondition)) throw error;
      const message = `User: ${roleArn(name)} is not authorized: ${error.message}`;
      console.error(message);
      return { message };
    }
  }
}

/** The settings of the region whose rights the functions of the local stack have: the region sends mail. */
export const LOCAL_SETTINGS = { eu: { mailSender: LOCAL.mailSender } };

/**
 * Synthesizes the templates as a deployment does and reads the rights of all functions. The module of the stacks is loaded
 * only here, because a stack without bundles does not need it.
 *
 * @param tableName the table that the stack uses. A restored one is a setting, as in a region
 */
export async function loadFunctionRights(tableName: string): Promise<FunctionRights> {
  const { stageTemplates, synthesizeTemplates } = await import('../../templates.ts');
  const restored = tableName !== LOCAL.tableName && {
    restoredTableStream: `${tableArn(tableName)}/stream/2026-01-01T00:00:00.000`,
  };
  const settings = { eu: { ...LOCAL_SETTINGS.eu, ...restored } };
  const folder = mkdtempSync(join(tmpdir(), 'templates-'));
  try {
    const { stateful, service } = stageTemplates(synthesizeTemplates(folder, groups, settings), 'eu');
    return new FunctionRights({
      // The CDK does not type the templates that it writes.
      stateful: stateful.toJSON() as TemplateJson,
      // The CDK does not type the templates that it writes.
      service: service.toJSON() as TemplateJson,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
