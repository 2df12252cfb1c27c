interface ChecksProps<Choice extends string> {
  legend: string;
  choices: ReadonlyArray<readonly [choice: Choice, words: string]>;
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
}

/** Check boxes under a legend; any number may be checked. */
export function Checks<Choice extends string>({ legend, choices, chosen, onChange }: ChecksProps<Choice>) {
  const toggle = (choice: string, isOn: boolean) =>
    onChange(new Set([...chosen].filter((each) => each !== choice).concat(isOn ? [choice] : [])));
  return (
    <fieldset>
      <legend className="hint">{legend}</legend>
      <div className="checks">
        {choices.map(([choice, words]) => (
          <label key={choice}>
            <input
              type="checkbox"
              checked={chosen.has(choice)}
              onChange={({ target }) => toggle(choice, target.checked)}
            />{' '}
            {choice} <span className="hint">{words}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
