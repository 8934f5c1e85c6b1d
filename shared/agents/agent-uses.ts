import { DESCRIBE_LOG } from '#shared/log/read-log.ts';
import { GET_RECEIPT } from '#shared/log/receipts/receipt.ts';
import { type Uses, usesTogether } from '#shared/table/uses.ts';
import { MAKE_DRAFT } from './drafts/make-draft.ts';

/** What all tools together read and write. */
export const AGENT_USES: Uses = usesTogether([GET_RECEIPT, DESCRIBE_LOG, MAKE_DRAFT]);
