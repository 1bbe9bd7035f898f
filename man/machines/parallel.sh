seq 8 | parallel --jobs=4 --retries=3 --joblog=results/joblog --resume-failed \
    git agent eval szz --repos=/shared/clones /shared/cases.jsonl --jobs=1 \
    --shard={}/8 --journal=results/{}.jsonl '>results/{}.log'
