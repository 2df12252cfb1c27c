import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Profile } from '../../../src/client/browser.js';
import { plainLabel } from '../fleet/words.js';
import { queries } from '../parts/queries.js';
import { attempt } from '../parts/toasts.js';
import { service } from '../service.js';
import { ProfileForm } from './profile-form.js';
import { Section } from './section.js';

const KEY = ['profiles'];

/** The programs that terminals are created with. */
export function Profiles() {
  const [edited, setEdited] = useState<Profile | 'new'>();
  const { data: profiles = [] } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => service.profiles.list({ signal }),
  });
  const reload = () => queries.invalidateQueries({ queryKey: KEY });
  const remove = async ({ id }: Profile) => {
    await attempt('The profile was not deleted', service.profiles.delete(id));
    await reload();
  };
  return (
    <Section
      title="Profiles"
      about="Programs to create terminals with. Shells of this machine are found by themselves."
    >
      <table className="list">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Program</th>
            <th scope="col">
              <span className="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {profiles.map((profile) => (
            <tr key={profile.id}>
              <td>
                {plainLabel(profile.name)}
                {profile.is_default && <span className="hint"> default</span>}
              </td>
              <td>
                <code>{plainLabel([profile.path, ...profile.args].join(' '))}</code>
              </td>
              <td>
                {profile.is_custom && (
                  <span className="buttons">
                    <button type="button" onClick={() => setEdited(profile)}>
                      Edit<span className="unseen"> {plainLabel(profile.name)}</span>
                    </button>
                    <button type="button" onClick={() => remove(profile)}>
                      Delete<span className="unseen"> {plainLabel(profile.name)}</span>
                    </button>
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <button type="button" onClick={() => setEdited('new')}>
        New profile…
      </button>
      {edited && (
        <ProfileForm
          profile={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
          onSaved={reload}
        />
      )}
    </Section>
  );
}
