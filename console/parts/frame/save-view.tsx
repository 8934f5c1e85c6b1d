import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { useUser } from '../../account/user.ts';
import { removeView, saveView, useSavedViews } from '../../client/saved-views.ts';
import { LONGEST_NAME } from '../../model/saved-views.ts';
import { Button, IconButton } from '../control/button.tsx';
import { Dialog, DialogFoot } from '../form/dialog.tsx';
import { Field, Fields } from '../form/field.tsx';

/** The star of the top line. It keeps the present address, with its filters, under a name. */
export function SaveView({ org }: { org: string | undefined }) {
  const address = useLocation({ select: ({ pathname, searchStr }) => pathname + searchStr });
  const owner = useUser()?.name;
  const saved = useSavedViews(owner, org).find((one) => one.address === address);
  const [isOpen, setOpen] = useState(false);
  if (org === undefined) return null;
  const close = () => setOpen(false);
  return (
    <>
      <IconButton
        icon={saved ? 'saved' : 'star'}
        label={saved ? `Saved as «${saved.name}»` : 'Save this view'}
        // The button has its place before it is known who looks at the page, so that nothing moves.
        disabled={owner === undefined}
        onClick={() => setOpen(true)}
      />
      {isOpen && owner !== undefined && (
        <Dialog title={saved ? 'Saved view' : 'Save this view'} onClose={close}>
          <NameForm
            name={saved?.name ?? document.title.replace(/^\S (?=\S)/, '')}
            onSave={(name) => {
              saveView({ owner, address, name });
              close();
            }}
            onRemove={
              saved &&
              (() => {
                removeView(saved);
                close();
              })
            }
            onCancel={close}
          />
        </Dialog>
      )}
    </>
  );
}

interface NameFormProps {
  name: string;
  onSave: (name: string) => void;
  onRemove: (() => void) | undefined;
  onCancel: () => void;
}

function NameForm({ name, onSave, onRemove, onCancel }: NameFormProps) {
  const [text, setText] = useState(name.slice(0, LONGEST_NAME));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') onSave(text);
      }}
    >
      <Fields>
        <Field
          label="Name"
          note="The address of this page, with its filters, is kept in this browser. The list beside the page and the search show the name."
        >
          <input value={text} maxLength={LONGEST_NAME} onChange={({ target }) => setText(target.value)} required />
        </Field>
      </Fields>
      <DialogFoot>
        <Button type="submit" look="primary">
          Save
        </Button>
        {onRemove && <Button onClick={onRemove}>Remove</Button>}
        <Button look="plain" onClick={onCancel}>
          Cancel
        </Button>
      </DialogFoot>
    </form>
  );
}
