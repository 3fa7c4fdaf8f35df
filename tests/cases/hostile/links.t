Links in the place of artifacts: nothing outside of the episode is read, unless a store is named.

# Links are not followed by default, wherever they lead.
  $ for file in state.json summary.json events.jsonl learn.jsonl manifest.json; do for target in nowhere $file ../../secret /dev/zero /proc/self/fd/0 checkpoints/copy; do
  >   fresh; cd episodes/ep_answer; mkdir checkpoints; cp $file checkpoints/copy; cp $file ../../secret; rm $file; ln -s $target $file; cd ../..
  >   runvet validate --format concise 2>&1 | sed "s/$file/FILE/g" | grep error
  > done; done | sort | uniq -c
       18 1 episode: 0 valid, 1 invalid, 1 not fully judged (1 error)
       12 1 episode: invalid (1 error)
       30 episodes/ep_answer/FILE: error record/unreadable: FILE can't be read: it is a symbolic link, and links are not followed

# Links are followed within the episode, on request; not even one that leads back by an absolute path is followed.
  $ fresh; cd episodes/ep_answer; mkdir ../../good; cp * ../../good; mkdir checkpoints; ln -s checkpoints/copy link; ln -s ../.. out
  $ for target in copy checkpoints/copy checkpoints/../copy link ../../copy ../ep_answer/copy out/copy "$PWD/copy" /proc/self/fd/0 nowhere FILE; do
  >   for file in state.json summary.json events.jsonl learn.jsonl manifest.json; do
  >     for to in copy checkpoints/copy ../../copy; do cp ../../good/$file $to; done; rm $file; ln -s "$(echo "$target" | sed s/FILE/$file/)" $file
  >     runvet validate --follow-links --format concise 2>&1 | sed "s/$file/FILE/g; s/.*can't be read: //; /^error: out:/d; /^out:/d" | head -1; rm $file; cp ../../good/$file .
  >   done | uniq -c | sed "s#\$# <- $target#"
  > done
        5 1 episode: 1 valid, 1 link not followed <- copy
        5 1 episode: 1 valid, 1 link not followed <- checkpoints/copy
        5 1 episode: 1 valid, 1 link not followed <- checkpoints/../copy
        5 1 episode: 1 valid, 1 link not followed <- link
        5 it is a symbolic link that leads out of the episode's directory <- ../../copy
        5 it is a symbolic link that leads out of the episode's directory <- ../ep_answer/copy
        5 it is a symbolic link that leads out of the episode's directory <- out/copy
        5 it is a symbolic link that leads out of the episode's directory <- [DIR]/episodes/ep_answer/copy
        5 it is a symbolic link that leads out of the episode's directory <- /proc/self/fd/0
        5 it is a symbolic link to a file that does not exist <- nowhere
        5 it is a symbolic link to a file that does not exist <- FILE

# A store is read where it is named, and what is not fetched is said. Tools of git link relatively, Nix absolutely.
  $ key=SHA256E-s9--ab.json
  $ stored() {
  >   store=$1 && shift && for file in state.json summary.json events.jsonl learn.jsonl manifest.json; do
  >     fresh; rm -rf .git nix; mkdir -p $store/$key; object=$store/$key/$key; mv episodes/ep_answer/$file $object
  >     case $store in .git*) ln -s ../../$object episodes/ep_answer/$file ;; *) ln -s "$PWD/$object" episodes/ep_answer/$file ;; esac
  >     "$@"; runvet validate --format concise --follow-links=$into 2>&1 | sed "s/$file/FILE/g; s/.*can't be read: //" | head -1
  >   done | uniq -c
  > }
  $ gone() { rm $object; }; moved() { mkdir -p other; mv $object other/moved; ln -s "$PWD/other/moved" $object; }; mkdir elsewhere
  $ for store in .git/annex/objects/Gx/9k nix/store/abc-run; do
  >   into=${store%%/*}; stored $store :; stored $store moved; stored $store gone; into=elsewhere; stored $store :
  >   runvet view --json episodes/ep_answer > out 2>&1; runvet validate --follow-links 2>&1 | grep -o 'leads out'
  > done
        5 1 episode: valid
        5 it is a symbolic link that leads out of the episode's directory
        5 it is a symbolic link into a store, and its file is not fetched
        5 it is a symbolic link that leads out of the episode's directory
  leads out
        5 1 episode: valid
        5 it is a symbolic link that leads out of the episode's directory
        5 it is a symbolic link into a store, and its file is not fetched
        5 it is a symbolic link that leads out of the episode's directory
  leads out
